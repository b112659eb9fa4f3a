package lsp

import (
	"context"
	"time"

	"handoff/workspace/config"
)

// allHandlers are the methods of requests and notifications. The loop handles exit and
// the inbox $/cancelRequest.
func (s *server) allHandlers() map[string]handler {
	return map[string]handler{
		"initialize":  request(s.initialize),
		"initialized": request(s.initialized),
		"shutdown":    request(s.shutdown),

		"textDocument/didOpen":   request(s.didOpen),
		"textDocument/didChange": notification(s.didChange),
		"textDocument/didSave":   notification(s.didSave),
		"textDocument/didClose":  request(s.didClose),

		"workspace/didChangeWatchedFiles":     request(s.filesChanged),
		"workspace/didChangeConfiguration":    request(s.filesChanged),
		"workspace/didChangeWorkspaceFolders": request(s.filesChanged),

		"textDocument/diagnostic":     request(s.diagnostic),
		"textDocument/codeAction":     request(s.codeAction),
		"textDocument/hover":          request(s.hover),
		"textDocument/completion":     request(s.completion),
		"textDocument/documentLink":   request(s.documentLinks),
		"textDocument/definition":     request(s.definition),
		"textDocument/documentSymbol": request(s.documentSymbols),

		"textDocument/codeLens":      request(s.codeLens),
		"textDocument/prepareRename": request(s.prepareRename),
		"textDocument/rename":        request(s.rename),
		"workspace/executeCommand":   request(s.executeCommand),
	}
}

// object is a JSON object that is only written.
type object = map[string]any

const fixAllKind = "source.fixAll.handoff"

func (s *server) initialize(_ context.Context, p initializeParams) (any, error) {
	s.client = p.Capabilities
	s.enc = encodingOf(p.Capabilities.General.PositionEncodings)
	s.stage = running
	if p.ProcessID != nil {
		s.process = *p.ProcessID
		s.gone = time.After(s.Poll)
	}
	can := object{
		"positionEncoding": s.enc,
		"textDocumentSync": object{"openClose": true, "change": 2, "save": object{"includeText": false}},
		"codeActionProvider": object{"codeActionKinds": []string{
			"quickfix", fixAllKind}},
		"hoverProvider":          true,
		"completionProvider":     object{"triggerCharacters": []string{"#", "/"}},
		"documentLinkProvider":   object{},
		"definitionProvider":     true,
		"documentSymbolProvider": true,
		"codeLensProvider":       object{},
		"renameProvider":         object{"prepareProvider": true},
		"executeCommandProvider": object{"commands": actCommands()},
		"workspace":              object{"workspaceFolders": object{"supported": true, "changeNotifications": true}},
	}
	if s.client.pulls() {
		can["diagnosticProvider"] = object{"interFileDependencies": false, "workspaceDiagnostics": false}
	}
	return object{"capabilities": can, "serverInfo": object{"name": "handoff", "version": s.Version}}, nil
}

// initialized asks the client to report changes of files that findings depend on. A
// document may refer to any file, so its references are checked again with each change
// of the document itself.
func (s *server) initialized(context.Context, struct{}) (any, error) {
	if !s.client.Workspace.WatchedFiles.Dynamic {
		return nil, nil
	}
	watchers := []object{{"globPattern": "**/" + config.File}, {"globPattern": "**/handoffs/*.md"}}
	return nil, s.request("client/registerCapability", object{"registrations": []object{{
		"id": "handoff-files", "method": "workspace/didChangeWatchedFiles", "registerOptions": object{"watchers": watchers},
	}}})
}

func (s *server) shutdown(context.Context, struct{}) (any, error) {
	s.stage = shutDown
	return nil, nil
}

// filesChanged checks all open documents again. A client that asks for diagnostics is
// told to ask again.
func (s *server) filesChanged(context.Context, struct{}) (any, error) {
	s.recheck()
	if s.client.pulls() && s.client.Workspace.Diagnostics.Refresh {
		return nil, s.request("workspace/diagnostic/refresh", nil)
	}
	return nil, nil
}
