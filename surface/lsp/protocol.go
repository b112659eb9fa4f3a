package lsp

import "encoding/json"

// The parts of the Language Server Protocol 3.17 that the server uses.

type position struct {
	Line      int `json:"line"`      // from 0
	Character int `json:"character"` // from 0, in units of the negotiated encoding
}

type textRange struct {
	Start position `json:"start"`
	End   position `json:"end"` // after the last character
}

func (p position) before(o position) bool {
	return p.Line < o.Line || p.Line == o.Line && p.Character < o.Character
}

// touches reports whether two ranges have a position in common, ends included.
func (r textRange) touches(o textRange) bool { return !r.End.before(o.Start) && !o.End.before(r.Start) }

type textDocument struct {
	URI     string `json:"uri"`
	Version *int   `json:"version,omitempty"`
}

// documentParams are the parameters of requests about a document.
type documentParams struct {
	Document textDocument `json:"textDocument"`
}

// positionParams are the parameters of requests about a position in a document.
type positionParams struct {
	documentParams
	Position position `json:"position"`
}

type openParams struct {
	Document struct {
		URI     string `json:"uri"`
		Version int    `json:"version"`
		Text    string `json:"text"`
	} `json:"textDocument"`
}

type changeParams struct {
	documentParams
	Changes []change `json:"contentChanges"`
}

// change replaces a range, or without a range the whole text.
type change struct {
	Range *textRange `json:"range"`
	Text  string     `json:"text"`
}

type diagnostic struct {
	Range       textRange        `json:"range"`
	Severity    int              `json:"severity"`
	Code        string           `json:"code,omitempty"`
	Description *codeDescription `json:"codeDescription,omitempty"`
	Source      string           `json:"source"`
	Message     string           `json:"message"`
}

type codeDescription struct {
	Href string `json:"href"`
}

type publishParams struct {
	URI         string       `json:"uri"`
	Version     *int         `json:"version,omitempty"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type diagnosticReport struct {
	Kind  string       `json:"kind"` // always "full"
	Items []diagnostic `json:"items"`
}

type textEdit struct {
	Range textRange `json:"range"`
	Text  string    `json:"newText"`
}

// workspaceEdit has one of its members: Documents if the client supports versions.
type workspaceEdit struct {
	Changes   map[string][]textEdit `json:"changes,omitempty"`
	Documents []documentEdit        `json:"documentChanges,omitempty"`
}

type documentEdit struct {
	Document textDocument `json:"textDocument"`
	Edits    []textEdit   `json:"edits"`
}

type codeActionParams struct {
	documentParams
	Range   textRange `json:"range"`
	Context struct {
		Only []string `json:"only"`
	} `json:"context"`
}

type codeAction struct {
	Title       string         `json:"title"`
	Kind        string         `json:"kind,omitempty"`
	Diagnostics []diagnostic   `json:"diagnostics,omitempty"`
	Preferred   bool           `json:"isPreferred,omitempty"`
	Edit        *workspaceEdit `json:"edit,omitempty"`
	Command     *command       `json:"command,omitempty"`
}

type codeLens struct {
	Range   textRange `json:"range"`
	Command command   `json:"command"`
}

type commandParams struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
}

type renameParams struct {
	positionParams
	NewName string `json:"newName"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

type hover struct {
	Contents markup    `json:"contents"`
	Range    textRange `json:"range"`
}

type completionItem struct {
	Label    string   `json:"label"`
	Kind     int      `json:"kind"`
	Detail   string   `json:"detail,omitempty"`
	SortText string   `json:"sortText,omitempty"`
	Filter   string   `json:"filterText,omitempty"`
	Edit     textEdit `json:"textEdit"`
}

type completionList struct {
	Incomplete bool             `json:"isIncomplete"`
	Items      []completionItem `json:"items"`
}

// The kinds of a completionItem.
const (
	kindProperty = 10
	kindKeyword  = 14
	kindFile     = 17
	kindFolder   = 19
)

type documentLink struct {
	Range   textRange `json:"range"`
	Target  string    `json:"target"`
	Tooltip string    `json:"tooltip,omitempty"`
}

type location struct {
	URI   string    `json:"uri"`
	Range textRange `json:"range"`
}

// documentSymbol is a section with its subheadings.
type documentSymbol struct {
	Name      string           `json:"name"`
	Detail    string           `json:"detail,omitempty"`
	Kind      int              `json:"kind"`
	Range     textRange        `json:"range"`
	Selection textRange        `json:"selectionRange"`
	Children  []documentSymbol `json:"children,omitempty"`
}

// symbolInformation is a section for clients that know no hierarchy.
type symbolInformation struct {
	Name      string   `json:"name"`
	Kind      int      `json:"kind"`
	Location  location `json:"location"`
	Container string   `json:"containerName,omitempty"`
}

// symbolString is the kind of a heading, as other Markdown servers report it.
const symbolString = 15

type initializeParams struct {
	ProcessID    *int               `json:"processId"`
	Capabilities clientCapabilities `json:"capabilities"`
}

// clientCapabilities are what the server asks about a client.
type clientCapabilities struct {
	General struct {
		PositionEncodings []string `json:"positionEncodings"`
	} `json:"general"`
	Workspace struct {
		Edit struct {
			DocumentChanges bool `json:"documentChanges"`
		} `json:"workspaceEdit"`
		WatchedFiles struct {
			Dynamic bool `json:"dynamicRegistration"`
		} `json:"didChangeWatchedFiles"`
		Diagnostics struct {
			Refresh bool `json:"refreshSupport"`
		} `json:"diagnostics"`
		CodeLens struct {
			Refresh bool `json:"refreshSupport"`
		} `json:"codeLens"`
	} `json:"workspace"`
	Window struct {
		ShowDocument struct {
			Support bool `json:"support"`
		} `json:"showDocument"`
	} `json:"window"`
	Document struct {
		Publish    json.RawMessage `json:"publishDiagnostics"`
		Diagnostic json.RawMessage `json:"diagnostic"`
		Hover      struct {
			Format []string `json:"contentFormat"`
		} `json:"hover"`
		Symbol struct {
			Hierarchical bool `json:"hierarchicalDocumentSymbolSupport"`
		} `json:"documentSymbol"`
	} `json:"textDocument"`
}

// pulls reports whether a client only asks for diagnostics. A client that knows both ways
// would show each finding twice if it got both.
func (c *clientCapabilities) pulls() bool {
	return len(c.Document.Diagnostic) > 0 && len(c.Document.Publish) == 0
}
