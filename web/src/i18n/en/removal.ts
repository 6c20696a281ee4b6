export const removal = {
  "removal.owns": "{name} owns {list}.",
  "removal.ownsNothing": "{name} owns nothing.",
  "removal.used": "Other people use:",
  "removal.choose": "What should happen to it?",
  "removal.transfer": "Hand it over to a person or group",
  "removal.deleteAll": "Delete everything",
  "removal.transferHelp":
    "Gets all models, collections with their files, prompts, and shared chats. Private chats, projects, files in no collection, and API keys are deleted.",
  "removal.groupHelp":
    "You become the owner, and members of the group can use and change everything, except that models with collections can only be used. Private chats, projects, files in no collection, and API keys are deleted.",
  "removal.deleteHelp": "Other people lose what is listed above. This can't be undone.",
  "removal.changed":
    "Nothing was deleted yet: other people have begun to use what is listed above.",
  "removal.transferAndDelete": "Hand over and delete user",
}
