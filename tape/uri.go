package tape

// anyWorkspace is what a URI says for the workspace that it stands in.
const anyWorkspace = "workspace"
