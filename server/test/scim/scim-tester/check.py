"""Runs the compliance checks of scim2-tester: check.py BASE_URL. Reads the token from SCIM_TOKEN and prints JSON."""

import json
import os
import sys
import uuid

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import check_server, filling

example_of = filling.get_random_example_value


def example_or_email(path):
    """userName must be an e-mail address, which a SCIM schema cannot express."""
    if str(path).endswith("userName"):
        return f"{uuid.uuid4()}@example.org"
    return example_of(path)


filling.get_random_example_value = example_or_email
headers = {"Authorization": f"Bearer {os.environ['SCIM_TOKEN']}"}
with Client(base_url=sys.argv[1], headers=headers, timeout=60) as http:
    results = check_server(SyncSCIMClient(http))
json.dump(
    [
        {
            "status": result.status.name,
            "title": result.title,
            "resource": result.resource_type,
            "reason": result.reason,
        }
        for result in results
    ],
    sys.stdout,
)
