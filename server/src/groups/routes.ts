import { z } from "zod"
import { DeletionConfirmation, InUseError } from "../http/in-use.ts"
import { IdParams, Page } from "../http/pagination.ts"
import { json, route, success } from "../http/route.ts"
import {
  Group,
  GroupChanges,
  GroupListQuery,
  GroupMember,
  GroupMemberIds,
  MemberListQuery,
  NewGroup,
  NewGroupMembers,
  OwnGroup,
} from "./schema.ts"

const unknown = { description: "The group or user does not exist" }
const notManager = { description: "You do not manage the group" }
const taken = { description: "The name is already in use" }

export const groupRoutes = {
  list: route("get", "/api/v1/groups", {
    access: "admin",
    summary: "List, search and sort groups",
    query: GroupListQuery,
    responses: { 200: json(Page(Group), "A page of groups") },
  }),
  create: route("post", "/api/v1/groups/create", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Create a group",
    body: NewGroup,
    responses: { 200: json(Group, "The new group"), 409: taken },
  }),
  mine: route("get", "/api/v1/groups/mine", {
    access: "user",
    summary: "List your own groups",
    responses: { 200: json(z.array(OwnGroup), "Your groups, sorted by name") },
  }),
  get: route("get", "/api/v1/groups/:id", {
    access: "user",
    summary: "Get a group, for administrators and its managers",
    params: IdParams,
    responses: { 200: json(Group, "The group"), 403: notManager, 404: unknown },
  }),
  update: route("post", "/api/v1/groups/:id/update", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Change a group's name or description, or whether it pays",
    params: IdParams,
    body: GroupChanges,
    responses: { 200: json(Group, "The updated group"), 404: unknown, 409: taken },
  }),
  remove: route("delete", "/api/v1/groups/:id", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Delete a group, but not its members",
    params: IdParams,
    query: DeletionConfirmation,
    responses: {
      200: success("The group was deleted"),
      404: unknown,
      409: json(InUseError, "The group was given access, and the deletion was not confirmed"),
    },
  }),
  members: route("get", "/api/v1/groups/:id/members", {
    access: "user",
    summary: "List the members of a group, for administrators and its managers",
    params: IdParams,
    query: MemberListQuery,
    responses: { 200: json(Page(GroupMember), "A page of members"), 403: notManager, 404: unknown },
  }),
  addMembers: route("post", "/api/v1/groups/:id/members/add", {
    access: "user",
    grantsPrivileges: true,
    summary: "Add members, for administrators and managers of the group",
    params: IdParams,
    body: NewGroupMembers,
    responses: { 200: json(Group, "The updated group"), 403: notManager, 404: unknown },
  }),
  removeMembers: route("post", "/api/v1/groups/:id/members/remove", {
    access: "user",
    grantsPrivileges: true,
    summary:
      "Remove members, for administrators and managers of the group, who cannot remove other managers",
    params: IdParams,
    body: GroupMemberIds,
    responses: { 200: json(Group, "The updated group"), 403: notManager, 404: unknown },
  }),
  addManagers: route("post", "/api/v1/groups/:id/managers/add", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Let members manage the group: its members and its service keys",
    params: IdParams,
    body: GroupMemberIds,
    responses: {
      200: success("They manage the group"),
      404: unknown,
      409: { description: "One of the users is not a member" },
    },
  }),
  removeManagers: route("post", "/api/v1/groups/:id/managers/remove", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Let managers be ordinary members again",
    params: IdParams,
    body: GroupMemberIds,
    responses: { 200: success("They are ordinary members"), 404: unknown },
  }),
}
