package house

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// layer lists what a package may import: our packages, and libraries restricted
// to one place. An unlisted package fails the test, so that its place is
// decided. "x/..." means x and everything below it.
var layer = map[string]struct {
	ours []string
	pure bool // no disk, no network, no clock
	test bool // imported by tests only
}{
	// 0 mechanisms: know nothing of handoffs
	"handoff/internal/file/atomicfile":       {ours: []string{"handoff/internal/file/nofollow", "handoff/internal/file/regular", "handoff/internal/process"}},
	"handoff/internal/text/eight":            {pure: true},
	"handoff/internal/file/gitindex":         {ours: []string{"handoff/internal/file/regular", "handoff/internal/text/gitsaid"}},
	"handoff/internal/file/gitwork":          {ours: []string{"handoff/internal/file/atomicfile", "handoff/internal/file/nofollow", "handoff/internal/file/regular", "handoff/internal/text/gitsaid"}},
	"handoff/internal/json/jsonedit":         {ours: []string{"handoff/internal/json/jsontext"}, pure: true},
	"handoff/internal/journal/appendlog":     {ours: []string{"handoff/internal/file/atomicfile", "handoff/internal/file/lockfile", "handoff/internal/file/nofollow"}},
	"handoff/internal/journal":               {ours: []string{"handoff/internal/file/atomicfile", "handoff/internal/file/lockfile", "handoff/internal/file/nofollow", "handoff/internal/file/regular", "handoff/internal/journal/appendlog"}},
	"handoff/internal/testing/killtest":      {ours: []string{"handoff/internal/testing/waittest"}, test: true},
	"handoff/internal/web/localtoken":        {ours: []string{"handoff/internal/file/atomicfile", "handoff/internal/file/nofollow", "handoff/internal/web/caller"}},
	"handoff/internal/web/listening":         {ours: []string{"handoff/internal/file/nofollow"}},
	"handoff/internal/file/lockfile":         {ours: []string{"handoff/internal/file/nofollow", "handoff/internal/file/regular"}},
	"handoff/internal/file/kept":             {ours: []string{"handoff/internal/file/atomicfile", "handoff/internal/file/lockfile", "handoff/internal/file/nofollow"}},
	"handoff/internal/admission":             {pure: true},
	"handoff/log/engine":                     {},
	"handoff/log/engine/enginetest":          {ours: []string{"handoff/log/artifact", "handoff/log/engine", "handoff/internal/testing/waittest", "handoff/log/receipt"}, test: true},
	"handoff/internal/state":                 {ours: []string{"handoff/internal/state/names"}, pure: true},
	"handoff/internal/state/names":           {pure: true},
	"handoff/log/engine/copy":                {ours: []string{"handoff/log/artifact", "handoff/log/engine"}},
	"handoff/log/engine/open":                {ours: []string{"handoff/log/engine/jetstream", "handoff/log/engine", "handoff/log/engine/...", "handoff/internal/file/nofollow", "handoff/log/receipt", "handoff/internal/state"}},
	"handoff/log/engine/files":               {ours: []string{"handoff/log/artifact", "handoff/log/engine", "handoff/internal/file/..."}},
	"handoff/internal/testing/frametest":     {test: true},
	"handoff/internal/testing/figures":       {test: true},
	"handoff/internal/testing/house":         {ours: []string{"handoff/internal/testing/figures"}, test: true},
	"handoff/internal/testing/memtest":       {test: true},
	"handoff/internal/text/inert":            {ours: []string{"handoff/internal/text/visible"}, pure: true},
	"handoff/internal/text/nearest":          {pure: true},
	"handoff/internal/testing/natstest":      {ours: []string{"handoff/internal/testing/needs", "handoff/internal/testing/waittest"}, test: true},
	"handoff/internal/testing/needs":         {test: true},
	"handoff/internal/testing/treetest":      {ours: []string{"handoff/internal/testing/needs", "handoff/internal/file/atomicfile"}, test: true},
	"handoff/internal/file/nofollow":         {ours: []string{"handoff/internal/file/regular"}},
	"handoff/internal/web/caller":            {},
	"handoff/internal/web/openapi":           {ours: []string{"handoff/internal/json/jsontext", "handoff/internal/text/nearest"}},
	"handoff/internal/text/prose":            {ours: []string{"handoff/internal/text/say", "handoff/internal/text/visible"}, pure: true},
	"handoff/internal/file/regular":          {},
	"handoff/internal/file/userstate":        {},
	"handoff/internal/testing/realagents":    {ours: []string{"handoff/internal/testing/needs", "handoff/internal/testing/scriptedmodel"}, test: true},
	"handoff/internal/testing/scriptedmodel": {test: true},
	"handoff/internal/testing/schematest":    {ours: []string{"handoff/docs/schema"}, test: true},
	"handoff/internal/text/gitsaid":          {pure: true},
	"handoff/internal/text/say":              {pure: true},
	"handoff/internal/text/secret":           {ours: []string{"handoff/internal/text/eight", "handoff/internal/text/prose", "handoff/internal/text/visible"}, pure: true},
	"handoff/internal/json/jsoncodec":        {ours: []string{"handoff/internal/text/say", "handoff/internal/json/jsontext"}, pure: true},
	"handoff/internal/json/jsonsplice":       {ours: []string{"handoff/internal/json/jsontext"}, pure: true},
	"handoff/internal/json/jsontext":         {pure: true},
	"handoff/internal/text/managed":          {pure: true},
	"handoff/internal/web/sse":               {},
	"handoff/internal/procgroup":             {},
	"handoff/internal/process":               {},
	"handoff/internal/text/strictyaml":       {ours: []string{"handoff/internal/json/jsontext", "handoff/internal/text/nearest"}, pure: true},
	"handoff/internal/text/shellword":        {pure: true},
	"handoff/internal/text/tokens":           {pure: true},
	"handoff/internal/text/tree":             {ours: []string{"handoff/internal/text/prose"}, pure: true},
	"handoff/internal/text/visible":          {ours: []string{"handoff/internal/text/eight"}, pure: true},
	"handoff/internal/uuid":                  {},
	"handoff/internal/testing/waittest":      {test: true},
	"handoff/internal/json/toolform":         {ours: []string{"handoff/internal/json/jsontext"}, pure: true},
	"handoff/docs/schema":                    {},
	"handoff/specs/example":                  {},
	// 1 formats
	"handoff/document/words":         {pure: true},
	"handoff/document/handoff":       {ours: []string{"handoff/internal/text/eight", "handoff/internal/text/inert", "handoff/internal/text/nearest", "handoff/document/words"}, pure: true},
	"handoff/surface/problem":        {},
	"handoff/document/task":          {ours: []string{"handoff/document/handoff", "handoff/document/words"}},
	"handoff/log/artifact":           {ours: []string{"handoff/internal/file/atomicfile", "handoff/internal/file/nofollow", "handoff/internal/file/regular"}},
	"handoff/log/artifact/fetchtool": {ours: []string{"handoff/log/artifact", "handoff/internal/json/toolform", "handoff/internal/text/visible"}, pure: true},
	"handoff/log/bundle":             {ours: []string{"handoff/log/artifact", "handoff/internal/json/jsoncodec", "handoff/internal/json/jsontext"}, pure: true},
	"handoff/log/thread/frame":       {ours: []string{"handoff/log/bundle", "handoff/internal/json/jsoncodec", "handoff/internal/json/jsontext"}, pure: true},
	"handoff/log/thread/digest":      {ours: []string{"handoff/internal/text/prose", "handoff/internal/text/say"}, pure: true},
	"handoff/log/thread":             {ours: []string{"handoff/internal/state/names", "handoff/document/handoff", "handoff/log/artifact", "handoff/log/bundle", "handoff/log/thread/digest", "handoff/log/thread/frame", "handoff/internal/..."}},
	"handoff/log/thread/rip":         {ours: []string{"handoff/document/handoff", "handoff/log/artifact", "handoff/log/thread", "handoff/internal/..."}},
	"handoff/log/tape/entry":         {ours: []string{"handoff/document/handoff", "handoff/internal/json/jsontext"}, pure: true},
	"handoff/log/tape/calls":         {ours: []string{"handoff/internal/json/jsontext", "handoff/log/tape/entry"}, pure: true},
	"handoff/log/tape/envelope":      {ours: []string{"handoff/log/tape/entry", "handoff/internal/json/jsoncodec", "handoff/internal/json/jsontext", "handoff/internal/state/names", "handoff/document/handoff"}, pure: true},
	"handoff/log/tape/view":          {ours: []string{"handoff/internal/state/names", "handoff/internal/journal", "handoff/internal/json/jsontext", "handoff/internal/text/nearest", "handoff/log/tape/entry"}, pure: true},
	"handoff/log/tape/lineage":       {ours: []string{"handoff/internal/text/tree", "handoff/internal/journal", "handoff/internal/json/jsontext", "handoff/log/tape/entry", "handoff/log/tape/view"}},
	"handoff/agents/skill":           {pure: true},
	"handoff/agents":                 {ours: []string{"handoff/agents/host", "handoff/internal/text/nearest", "handoff/internal/text/strictyaml"}},
	"handoff/log/receipt":            {ours: []string{"handoff/document/handoff", "handoff/internal/file/atomicfile", "handoff/internal/file/nofollow", "handoff/internal/file/regular", "handoff/internal/journal", "handoff/internal/json/jsontext", "handoff/internal/state", "handoff/internal/uuid"}},
	"handoff/log/tape":               {ours: []string{"handoff/internal/state/names", "handoff/internal/...", "handoff/log/tape/calls", "handoff/log/tape/entry", "handoff/log/tape/envelope", "handoff/log/tape/lineage", "handoff/log/tape/view"}},
	"handoff/log/tape/bub":           {ours: []string{"handoff/internal/state/names", "handoff/document/handoff", "handoff/log/tape", "handoff/internal/..."}},
	"handoff/log/engine/replica":     {ours: []string{"handoff/log/engine", "handoff/internal/file/atomicfile", "handoff/internal/file/lockfile", "handoff/internal/file/nofollow", "handoff/internal/journal", "handoff/internal/file/kept"}},
	"handoff/log/engine/jetstream":   {ours: []string{"handoff/log/artifact", "handoff/log/engine"}},
	"handoff/log/engine/git":         {ours: []string{"handoff/log/engine", "handoff/internal/file/atomicfile", "handoff/internal/file/lockfile", "handoff/internal/file/nofollow", "handoff/internal/text/gitsaid"}},
	// 2 verbs
	"handoff/parse/hidden":              {ours: []string{"handoff/document/handoff", "handoff/internal/text/prose"}, pure: true},
	"handoff/document/brief":            {ours: []string{"handoff/document/evidence", "handoff/internal/text/say", "handoff/document/handoff", "handoff/parse/hidden", "handoff/internal/text/inert", "handoff/internal/text/visible"}, pure: true},
	"handoff/agents/transcript":         {ours: []string{"handoff/internal/text/say", "handoff/agents/transcript/gauge"}, pure: true},
	"handoff/agents/transcript/facts":   {ours: []string{"handoff/document/seen", "handoff/internal/text/shellword", "handoff/internal/text/secret", "handoff/internal/text/visible", "handoff/agents/transcript"}, pure: true},
	"handoff/agents/transcript/audit":   {ours: []string{"handoff/agents/transcript", "handoff/agents/transcript/facts", "handoff/internal/text/secret"}, pure: true},
	"handoff/agents/transcript/outcome": {ours: []string{"handoff/agents/transcript"}, pure: true},
	"handoff/agents/transcript/gauge":   {ours: []string{"handoff/internal/text/say", "handoff/internal/text/inert"}, pure: true},
	"handoff/templates":                 {ours: []string{"handoff/document/handoff", "handoff/document/words"}, pure: true},
	"handoff/parse":                     {ours: []string{"handoff/document/handoff"}, pure: true},
	"handoff/lint":                      {ours: []string{"handoff/document/handoff", "handoff/internal/json/jsontext", "handoff/internal/text/secret", "handoff/parse"}, pure: true},
	"handoff/lint/report":               {ours: []string{"handoff/document/handoff", "handoff/parse/hidden", "handoff/lint", "handoff/internal/json/jsontext", "handoff/internal/text/secret", "handoff/internal/text/visible", "handoff/internal/text/prose"}, pure: true},
	"handoff/lint/rules":                {ours: []string{"handoff/document/words", "handoff/document/claims", "handoff/document/evidence", "handoff/document/handoff", "handoff/parse/hidden", "handoff/lint", "handoff/internal/text/nearest", "handoff/internal/text/prose", "handoff/internal/text/secret", "handoff/internal/text/visible", "handoff/internal/text/say"}, pure: true},
	"handoff/log/thread/compile":        {ours: []string{"handoff/log/thread/frame", "handoff/document/handoff", "handoff/log/artifact", "handoff/log/bundle", "handoff/log/thread", "handoff/log/thread/compile/render", "handoff/internal/json/jsontext", "handoff/internal/text/tokens"}, pure: true},
	"handoff/log/thread/compile/render": {ours: []string{"handoff/internal/text/inert", "handoff/log/artifact", "handoff/log/bundle", "handoff/internal/json/jsontext", "handoff/internal/json/toolform", "handoff/internal/text/visible", "handoff/internal/text/prose"}, pure: true},
	"handoff/log/convert":               {ours: []string{"handoff/document/words", "handoff/document/handoff", "handoff/document/task", "handoff/log/bundle", "handoff/internal/json/jsontext", "handoff/parse", "handoff/log/tape", "handoff/templates", "handoff/log/thread"}, pure: true},
	"handoff/log/tape/bulk":             {ours: []string{"handoff/log/tape", "handoff/log/tape/entry"}, pure: true},
	"handoff/log/tape/comma":            {ours: []string{"handoff/internal/text/say", "handoff/log/tape/entry", "handoff/log/tape", "handoff/internal/text/nearest", "handoff/internal/json/jsontext"}, pure: true},
	"handoff/log/tape/chat":             {ours: []string{"handoff/log/tape", "handoff/internal/json/jsontext", "handoff/internal/text/tokens", "handoff/internal/text/visible", "handoff/log/tape/calls", "handoff/log/tape/entry"}, pure: true},
	"handoff/log/tape/tool":             {ours: []string{"handoff/document/handoff", "handoff/log/tape/comma", "handoff/internal/json/jsontext", "handoff/internal/json/toolform"}, pure: true},
	// 3 effects
	"handoff/workspace/reconcile/phases": {pure: true},
	"handoff/workspace/reconcile":        {ours: []string{"handoff/workspace/reconcile/phases", "handoff/document/handoff", "handoff/parse", "handoff/log/bundle", "handoff/log/artifact", "handoff/internal/..."}},
	"handoff/agents/setup":               {ours: []string{"handoff/document/handoff", "handoff/agents", "handoff/agents/host", "handoff/agents/setup/edit", "handoff/agents/skill", "handoff/internal/file/...", "handoff/internal/json/jsonsplice", "handoff/internal/text/managed"}},
	"handoff/agents/setup/edit":          {ours: []string{"handoff/agents/host", "handoff/internal/json/jsonsplice", "handoff/internal/json/jsontext", "handoff/internal/text/managed"}, pure: true},
	"handoff/agents/host":                {ours: []string{"handoff/document/handoff", "handoff/internal/json/jsontext", "handoff/internal/text/nearest"}, pure: true},
	"handoff/agents/plugin":              {test: true},
	"handoff/agents/ending":              {ours: []string{"handoff/agents"}, pure: true},
	"handoff/agents/acp":                 {ours: []string{"handoff/agents", "handoff/internal/file/nofollow", "handoff/internal/procgroup"}},
	"handoff/agents/doctor":              {ours: []string{"handoff/agents", "handoff/agents/host", "handoff/agents/sessions", "handoff/agents/windows", "handoff/agents/transcript/gauge", "handoff/agents/setup", "handoff/agents/setup/edit", "handoff/agents/skill", "handoff/internal/file/nofollow", "handoff/internal/file/regular", "handoff/internal/json/jsonsplice", "handoff/internal/text/shellword", "handoff/internal/text/say"}},
	"handoff/agents/windows":             {ours: []string{"handoff/internal/file/atomicfile", "handoff/internal/file/lockfile", "handoff/internal/file/nofollow", "handoff/internal/file/userstate", "handoff/agents/transcript", "handoff/internal/file/kept"}},
	"handoff/agents/past":                {ours: []string{"handoff/internal/text/visible", "handoff/agents", "handoff/agents/ending", "handoff/internal/file/regular", "handoff/agents/transcript", "handoff/agents/transcript/outcome"}},
	"handoff/agents/sessions":            {ours: []string{"handoff/document/handoff", "handoff/agents", "handoff/agents/windows", "handoff/internal/file/nofollow", "handoff/internal/file/regular", "handoff/agents/transcript", "handoff/agents/transcript/gauge", "handoff/agents/transcript/tail", "handoff/internal/state", "handoff/agents/host"}},
	"handoff/agents/transcript/tail":     {ours: []string{"handoff/internal/file/regular", "handoff/agents/transcript"}},
	"handoff/workspace/reconcile/rules":  {ours: []string{"handoff/internal/text/say", "handoff/document/pinned", "handoff/document/handoff", "handoff/log/artifact", "handoff/lint", "handoff/workspace/reconcile", "handoff/internal/file/atomicfile", "handoff/internal/json/jsonedit", "handoff/internal/file/nofollow", "handoff/internal/text/prose"}},
	"handoff/log/thread/runner":          {ours: []string{"handoff/log/thread/frame", "handoff/log/artifact", "handoff/log/bundle", "handoff/log/thread/compile", "handoff/log/thread/compile/render", "handoff/log/thread", "handoff/internal/..."}},
	"handoff/workspace/tasks":            {ours: []string{"handoff/document/handoff", "handoff/internal/text/secret", "handoff/log/receipt", "handoff/workspace/reconcile", "handoff/workspace", "handoff/workspace/documents", "handoff/workspace/sync"}},
	"handoff/workspace/tapes":            {ours: []string{"handoff/workspace", "handoff/document/handoff", "handoff/internal/journal", "handoff/log/tape", "handoff/log/tape/bub", "handoff/log/tape/chat", "handoff/log/tape/comma", "handoff/internal/json/jsontext", "handoff/internal/text/nearest", "handoff/internal/file/kept", "handoff/internal/file/nofollow", "handoff/internal/file/userstate", "handoff/log/thread", "handoff/workspace/outbox"}},
	"handoff/workspace/ops":              {pure: true},
	"handoff/workspace/threadops":        {ours: []string{"handoff/internal/text/say", "handoff/document/handoff", "handoff/log/thread", "handoff/log/thread/frame", "handoff/log/thread/compile", "handoff/workspace/ops", "handoff/workspace/threads"}},
	"handoff/workspace/handoffops":       {ours: []string{"handoff/document/brief", "handoff/document/handoff", "handoff/log/artifact", "handoff/log/receipt", "handoff/workspace", "handoff/workspace/documents", "handoff/workspace/gate", "handoff/workspace/once", "handoff/workspace/ops", "handoff/workspace/outdated", "handoff/workspace/overview", "handoff/workspace/plans", "handoff/workspace/receipts", "handoff/workspace/search", "handoff/workspace/states"}},
	"handoff/workspace/tapeops":          {ours: []string{"handoff/log/tape", "handoff/workspace/ops", "handoff/workspace/tapes"}},
	"handoff/workspace/threads":          {ours: []string{"handoff/internal/file/nofollow", "handoff/internal/text/secret", "handoff/workspace", "handoff/document/handoff", "handoff/workspace/outbox", "handoff/log/artifact", "handoff/log/thread", "handoff/log/thread/compile", "handoff/log/thread/runner", "handoff/internal/journal", "handoff/log/bundle", "handoff/log/thread/compile/render"}},
	"handoff/sdk/conformance":            {pure: true},
	"handoff/internal/testing/histories": {},
	"handoff/internal/testing/nights":    {},
	"handoff/workspace/config":           {ours: []string{"handoff/internal/text/nearest", "handoff/document/words", "handoff/document/handoff", "handoff/log/engine", "handoff/document/evidence", "handoff/internal/file/nofollow", "handoff/internal/file/regular", "handoff/internal/text/strictyaml", "handoff/lint", "handoff/document/task", "handoff/internal/state"}},
	"handoff/document/evidence":          {pure: true},
	"handoff/document/seen":              {ours: []string{"handoff/document/evidence"}, pure: true},
	"handoff/document/claims":            {ours: []string{"handoff/document/evidence", "handoff/document/seen", "handoff/document/handoff", "handoff/document/words", "handoff/internal/text/eight", "handoff/internal/text/prose"}, pure: true},
	"handoff/workspace/prove":            {ours: []string{"handoff/document/claims", "handoff/document/handoff", "handoff/document/evidence", "handoff/internal/file/gitindex", "handoff/internal/file/nofollow", "handoff/internal/file/regular", "handoff/internal/procgroup", "handoff/internal/text/prose", "handoff/internal/text/secret", "handoff/internal/text/shellword", "handoff/internal/text/visible", "handoff/log/receipt", "handoff/workspace", "handoff/workspace/documents", "handoff/internal/state"}},
	"handoff/workspace/gate":             {ours: []string{"handoff/internal/file/gitindex", "handoff/internal/text/prose", "handoff/log/receipt", "handoff/workspace", "handoff/workspace/prove"}},
	"handoff/workspace/relay/word":       {ours: []string{"handoff/internal/file/atomicfile", "handoff/internal/file/kept", "handoff/internal/file/regular", "handoff/internal/state", "handoff/workspace"}},
	"handoff/document/pinned":            {ours: []string{"handoff/document/handoff", "handoff/document/evidence", "handoff/internal/text/prose", "handoff/internal/json/jsontext", "handoff/parse", "handoff/templates"}, pure: true},
	"handoff/workspace/pins":             {ours: []string{"handoff/document/handoff", "handoff/agents/transcript", "handoff/lint", "handoff/log/artifact", "handoff/parse", "handoff/templates", "handoff/workspace/create", "handoff/document/pinned", "handoff/workspace", "handoff/workspace/documents"}},
	"handoff/workspace/stores":           {ours: []string{"handoff/document/handoff", "handoff/internal/file/gitindex", "handoff/log/artifact", "handoff/log/engine", "handoff/internal/state/names", "handoff/log/engine/replica", "handoff/internal/file/nofollow", "handoff/internal/journal", "handoff/log/receipt", "handoff/workspace/config", "handoff/workspace/outbox", "handoff/internal/file/atomicfile", "handoff/internal/file/regular", "handoff/internal/state"}},
	"handoff/workspace/trust":            {ours: []string{"handoff/document/handoff", "handoff/internal/file/atomicfile", "handoff/internal/file/nofollow", "handoff/internal/file/regular", "handoff/internal/file/userstate", "handoff/internal/text/shellword", "handoff/workspace/config", "handoff/internal/state"}},
	"handoff/workspace":                  {ours: []string{"handoff/internal/uuid", "handoff/document/handoff", "handoff/log/artifact", "handoff/internal/file/...", "handoff/lint", "handoff/document/task", "handoff/workspace/config", "handoff/workspace/stores", "handoff/internal/state"}},
	"handoff/workspace/seen":             {ours: []string{"handoff/document/handoff", "handoff/internal/file/gitindex", "handoff/internal/file/nofollow", "handoff/log/receipt", "handoff/workspace/reconcile", "handoff/internal/state"}},
	"handoff/workspace/documents":        {ours: []string{"handoff/document/evidence", "handoff/document/handoff", "handoff/log/artifact", "handoff/log/bundle", "handoff/internal/file/...", "handoff/parse", "handoff/log/receipt", "handoff/workspace/reconcile", "handoff/document/task", "handoff/workspace", "handoff/internal/state", "handoff/internal/text/shellword"}},
	"handoff/workspace/current":          {ours: []string{"handoff/internal/file/atomicfile", "handoff/internal/file/nofollow", "handoff/log/receipt", "handoff/internal/state", "handoff/internal/file/kept"}},
	"handoff/workspace/receipts":         {ours: []string{"handoff/log/engine", "handoff/document/handoff", "handoff/internal/file/lockfile", "handoff/internal/file/regular", "handoff/internal/text/secret", "handoff/internal/text/shellword", "handoff/log/receipt", "handoff/log/thread", "handoff/workspace", "handoff/workspace/current", "handoff/workspace/documents", "handoff/workspace/outbox", "handoff/workspace/owed", "handoff/workspace/states", "handoff/workspace/sync", "handoff/workspace/trust", "handoff/document/task", "handoff/workspace/relay/word"}},
	"handoff/workspace/states":           {ours: []string{"handoff/document/handoff", "handoff/workspace/relay/word", "handoff/internal/text/shellword", "handoff/log/receipt", "handoff/workspace", "handoff/workspace/documents", "handoff/workspace/notes"}},
	"handoff/workspace/drain":            {ours: []string{"handoff/document/handoff", "handoff/log/engine", "handoff/log/receipt", "handoff/log/tape", "handoff/workspace", "handoff/workspace/outbox", "handoff/workspace/receipts", "handoff/workspace/tapes", "handoff/workspace/threads"}},
	"handoff/workspace/outbox":           {ours: []string{"handoff/document/handoff", "handoff/log/engine", "handoff/internal/file/atomicfile", "handoff/internal/file/lockfile", "handoff/internal/file/nofollow", "handoff/log/receipt", "handoff/internal/state", "handoff/internal/file/kept"}},
	"handoff/workspace/settings":         {ours: []string{"handoff/document/handoff", "handoff/agents", "handoff/internal/file/atomicfile", "handoff/internal/file/nofollow", "handoff/internal/file/regular", "handoff/log/receipt", "handoff/workspace", "handoff/internal/state", "handoff/internal/file/kept"}},
	"handoff/workspace/spawn":            {ours: []string{"handoff/internal/text/say", "handoff/workspace/chains", "handoff/workspace/threads", "handoff/document/handoff", "handoff/agents", "handoff/log/receipt", "handoff/log/thread/compile/render", "handoff/log/thread/runner", "handoff/agents/transcript", "handoff/workspace", "handoff/workspace/receipts", "handoff/workspace/spawn/meter", "handoff/workspace/spawn/prompt", "handoff/agents/ending", "handoff/internal/file/atomicfile", "handoff/internal/file/kept", "handoff/internal/file/nofollow", "handoff/internal/file/userstate", "handoff/internal/text/secret", "handoff/internal/state"}},
	"handoff/workspace/spawn/meter":      {ours: []string{"handoff/agents", "handoff/agents/sessions", "handoff/log/thread/runner", "handoff/agents/transcript", "handoff/agents/transcript/gauge"}},
	"handoff/workspace/outdated":         {ours: []string{"handoff/document/handoff", "handoff/internal/file/gitindex", "handoff/internal/file/nofollow", "handoff/internal/process", "handoff/internal/text/visible", "handoff/workspace/reconcile", "handoff/workspace", "handoff/workspace/check", "handoff/workspace/documents"}},
	"handoff/workspace/spawn/prompt":     {ours: []string{"handoff/document/handoff", "handoff/workspace/outdated", "handoff/internal/text/inert", "handoff/document/brief", "handoff/internal/file/gitindex", "handoff/internal/text/visible", "handoff/workspace", "handoff/workspace/documents", "handoff/agents/skill"}},
	"handoff/workspace/relay/chain":      {ours: []string{"handoff/internal/text/say", "handoff/workspace/owed", "handoff/agents", "handoff/internal/text/secret", "handoff/log/receipt"}},
	"handoff/workspace/relay/log":        {ours: []string{"handoff/agents", "handoff/internal/procgroup", "handoff/document/handoff", "handoff/internal/file/atomicfile", "handoff/internal/file/gitindex", "handoff/internal/file/lockfile", "handoff/internal/journal", "handoff/log/thread", "handoff/workspace", "handoff/workspace/relay/chain", "handoff/internal/state"}},
	"handoff/workspace/draft":            {ours: []string{"handoff/document/handoff", "handoff/document/seen", "handoff/agents/transcript", "handoff/internal/file/gitindex", "handoff/internal/file/nofollow", "handoff/internal/text/secret", "handoff/templates", "handoff/agents/transcript/facts", "handoff/workspace", "handoff/workspace/create", "handoff/workspace/documents", "handoff/workspace/pins", "handoff/internal/text/say"}},
	"handoff/workspace/relay/turn":       {ours: []string{"handoff/workspace/relay/log", "handoff/agents/ending", "handoff/document/handoff", "handoff/agents", "handoff/internal/text/inert", "handoff/log/receipt", "handoff/log/thread/runner", "handoff/agents/transcript", "handoff/agents/transcript/gauge", "handoff/workspace", "handoff/workspace/relay/chain", "handoff/workspace/spawn", "handoff/workspace/spawn/meter", "handoff/workspace/spawn/prompt", "handoff/internal/text/shellword", "handoff/workspace/relay/word"}},
	"handoff/workspace/checkup":          {ours: []string{"handoff/workspace/githook", "handoff/agents/doctor", "handoff/internal/file/gitindex", "handoff/internal/file/regular", "handoff/internal/text/prose", "handoff/internal/text/shellword", "handoff/log/receipt", "handoff/workspace", "handoff/workspace/daemon", "handoff/workspace/notes", "handoff/workspace/trust"}},
	"handoff/workspace/relay":            {ours: []string{"handoff/workspace/spawn", "handoff/workspace/threads", "handoff/document/handoff", "handoff/agents", "handoff/internal/text/shellword", "handoff/log/receipt", "handoff/log/thread", "handoff/workspace", "handoff/workspace/receipts", "handoff/workspace/relay/chain", "handoff/workspace/relay/log", "handoff/workspace/relay/turn", "handoff/internal/file/gitindex", "handoff/workspace/gate", "handoff/workspace/prove", "handoff/workspace/relay/word", "handoff/log/thread/runner", "handoff/internal/text/prose", "handoff/internal/file/regular", "handoff/agents/transcript", "handoff/agents/transcript/facts", "handoff/workspace/draft", "handoff/lint", "handoff/workspace/check", "handoff/workspace/documents", "handoff/workspace/sync", "handoff/workspace/verify"}},
	"handoff/workspace/owed":             {ours: []string{"handoff/log/receipt"}, pure: true},
	"handoff/workspace/notes":            {ours: []string{"handoff/log/receipt", "handoff/agents/transcript/gauge", "handoff/workspace", "handoff/internal/state", "handoff/internal/file/kept", "handoff/internal/text/secret"}},
	"handoff/workspace/unreported":       {ours: []string{"handoff/agents", "handoff/agents/past", "handoff/internal/file/gitindex", "handoff/internal/file/regular", "handoff/internal/text/inert", "handoff/internal/text/say", "handoff/internal/text/secret", "handoff/internal/text/shellword", "handoff/log/receipt", "handoff/agents/transcript/outcome", "handoff/workspace", "handoff/workspace/notes"}},
	"handoff/workspace/delivery":         {ours: []string{"handoff/document/handoff", "handoff/internal/text/inert", "handoff/log/receipt", "handoff/workspace", "handoff/workspace/documents", "handoff/workspace/notes", "handoff/workspace/receipts"}},
	"handoff/workspace/search":           {ours: []string{"handoff/document/handoff", "handoff/document/brief", "handoff/document/task", "handoff/internal/file/nofollow", "handoff/internal/state/names", "handoff/internal/text/secret", "handoff/internal/text/shellword", "handoff/workspace", "handoff/workspace/documents"}},
	"handoff/workspace/gc":               {ours: []string{"handoff/document/handoff", "handoff/log/artifact", "handoff/workspace", "handoff/internal/file/...", "handoff/internal/state", "handoff/log/receipt"}},
	"handoff/workspace/githook":          {ours: []string{"handoff/internal/file/...", "handoff/internal/text/shellword", "handoff/log/receipt", "handoff/workspace", "handoff/internal/state"}},
	"handoff/workspace/scaffold":         {ours: []string{"handoff/internal/text/nearest", "handoff/document/words", "handoff/workspace/githook", "handoff/document/task", "handoff/workspace/config", "handoff/document/handoff", "handoff/templates", "handoff/workspace", "handoff/internal/file/...", "handoff/internal/text/shellword"}},
	"handoff/workspace/chains":           {ours: []string{"handoff/document/handoff", "handoff/log/artifact", "handoff/log/thread", "handoff/workspace", "handoff/workspace/threads"}},
	"handoff/workspace/sync":             {ours: []string{"handoff/lint", "handoff/workspace/seen", "handoff/document/handoff", "handoff/log/artifact", "handoff/workspace", "handoff/internal/file/...", "handoff/workspace/documents", "handoff/workspace/reconcile", "handoff/internal/state"}},
	"handoff/workspace/verify":           {ours: []string{"handoff/internal/file/gitindex", "handoff/internal/text/shellword", "handoff/workspace/chains", "handoff/workspace/reconcile/rules", "handoff/document/handoff", "handoff/log/artifact", "handoff/lint", "handoff/workspace/reconcile", "handoff/log/thread", "handoff/workspace", "handoff/workspace/sync", "handoff/internal/file/regular", "handoff/internal/journal", "handoff/workspace/documents"}},
	"handoff/workspace/staged":           {ours: []string{"handoff/log/artifact", "handoff/internal/text/secret", "handoff/lint", "handoff/document/handoff", "handoff/internal/file/...", "handoff/workspace/reconcile", "handoff/workspace/reconcile/rules", "handoff/document/task", "handoff/workspace", "handoff/workspace/verify", "handoff/internal/state"}},
	"handoff/workspace/daemon":           {ours: []string{"handoff/log/receipt", "handoff/workspace/seen", "handoff/document/handoff", "handoff/log/artifact", "handoff/workspace/reconcile", "handoff/watch", "handoff/workspace", "handoff/workspace/documents", "handoff/workspace/sync", "handoff/internal/file/...", "handoff/internal/web/listening", "handoff/internal/state"}},
	"handoff/workspace/check":            {ours: []string{"handoff/workspace/config", "handoff/document/handoff", "handoff/lint", "handoff/parse", "handoff/document/task", "handoff/workspace", "handoff/internal/file/..."}},
	"handoff/workspace/create":           {ours: []string{"handoff/document/task", "handoff/workspace/plans", "handoff/document/evidence", "handoff/document/handoff", "handoff/lint", "handoff/parse", "handoff/templates", "handoff/workspace", "handoff/workspace/sync", "handoff/internal/file/...", "handoff/internal/text/...", "handoff/workspace/documents"}},
	"handoff/workspace/work":             {ours: []string{"handoff/internal/file/gitwork", "handoff/internal/text/secret", "handoff/internal/text/visible", "handoff/log/receipt", "handoff/workspace"}},
	"handoff/workspace/convert":          {ours: []string{"handoff/workspace/threads", "handoff/internal/json/jsontext", "handoff/document/handoff", "handoff/log/artifact", "handoff/log/bundle", "handoff/log/convert", "handoff/log/tape", "handoff/log/thread", "handoff/workspace", "handoff/workspace/create", "handoff/workspace/tapes", "handoff/workspace/documents"}},
	"handoff/workspace/plans":            {ours: []string{"handoff/document/task", "handoff/document/handoff", "handoff/internal/text/say", "handoff/internal/text/visible", "handoff/workspace"}},
	"handoff/workspace/graphs":           {ours: []string{"handoff/internal/text/say", "handoff/internal/text/tree", "handoff/internal/text/visible", "handoff/log/receipt", "handoff/log/tape", "handoff/log/thread", "handoff/workspace", "handoff/workspace/overview", "handoff/workspace/tapes", "handoff/workspace/threads"}},
	"handoff/workspace/overview":         {ours: []string{"handoff/internal/text/visible", "handoff/workspace/relay/word", "handoff/workspace/states", "handoff/document/handoff", "handoff/internal/text/shellword", "handoff/log/receipt", "handoff/workspace", "handoff/workspace/config", "handoff/workspace/documents", "handoff/workspace/receipts"}},
	"handoff/workspace/feed":             {ours: []string{"handoff/internal/text/say", "handoff/document/handoff", "handoff/log/artifact", "handoff/internal/file/atomicfile", "handoff/internal/journal", "handoff/internal/json/jsontext", "handoff/log/receipt", "handoff/watch", "handoff/workspace", "handoff/workspace/documents", "handoff/internal/state"}},
	"handoff/workspace/once":             {ours: []string{"handoff/document/handoff", "handoff/internal/file/atomicfile", "handoff/internal/file/lockfile", "handoff/internal/file/nofollow", "handoff/workspace", "handoff/internal/state", "handoff/internal/file/kept"}},
	"handoff/workspace/authoring":        {ours: []string{"handoff/document/handoff", "handoff/log/receipt", "handoff/workspace/documents", "handoff/workspace/receipts", "handoff/templates", "handoff/workspace", "handoff/workspace/create", "handoff/workspace/once", "handoff/workspace/pins"}},
	"handoff/watch":                      {ours: []string{"handoff/document/handoff", "handoff/document/task", "handoff/internal/file/regular"}},
	// 4 surfaces
	"handoff/surface/dashboard":          {ours: []string{"handoff/internal/file/regular", "handoff/surface/problem", "handoff/internal/file/gitwork", "handoff/log/thread/runner", "handoff/internal/text/secret", "handoff/workspace/verify", "handoff/internal/text/say", "handoff/document/handoff", "handoff/internal/text/shellword", "handoff/internal/text/tree", "handoff/internal/text/visible", "handoff/internal/web/sse", "handoff/lint", "handoff/parse/hidden", "handoff/log/receipt", "handoff/log/tape", "handoff/log/thread", "handoff/log/thread/compile", "handoff/watch", "handoff/workspace", "handoff/workspace/..."}},
	"handoff/surface/hooks":              {ours: []string{"handoff/internal/file/nofollow", "handoff/internal/text/inert", "handoff/document/handoff", "handoff/agents/host", "handoff/agents/sessions", "handoff/internal/file/regular", "handoff/internal/text/visible", "handoff/lint", "handoff/log/receipt", "handoff/agents/transcript/gauge", "handoff/agents/transcript/tail", "handoff/workspace", "handoff/workspace/...", "handoff/agents", "handoff/agents/transcript"}},
	"handoff/surface/httpapi":            {ours: []string{"handoff/surface/problem", "handoff/surface/refusal", "handoff/log/tape/envelope", "handoff/log/tape/tool", "handoff/document/handoff", "handoff/log/artifact", "handoff/log/bundle", "handoff/document/brief", "handoff/lint", "handoff/lint/report", "handoff/workspace/threads", "handoff/internal/...", "handoff/log/thread/compile", "handoff/log/thread/compile/render", "handoff/log/receipt", "handoff/docs/schema", "handoff/log/thread", "handoff/log/thread/runner", "handoff/log/tape", "handoff/workspace/..."}},
	"handoff/surface/refusal":            {ours: []string{"handoff/log/engine", "handoff/log/engine/replica", "handoff/document/handoff", "handoff/log/artifact", "handoff/internal/file/lockfile", "handoff/internal/file/regular", "handoff/surface/problem", "handoff/log/receipt", "handoff/log/tape", "handoff/workspace/..."}},
	"handoff/surface/httpapi/client":     {ours: []string{"handoff/workspace/ops", "handoff/workspace/threadops", "handoff/workspace/tapeops", "handoff/surface/problem", "handoff/internal/json/jsontext", "handoff/document/handoff", "handoff/log/bundle", "handoff/log/thread/compile", "handoff/log/tape", "handoff/log/thread", "handoff/workspace/threads", "handoff/lint/report", "handoff/log/receipt", "handoff/workspace/feed", "handoff/workspace/receipts", "handoff/workspace/handoffops"}},
	"handoff/surface/lsp":                {ours: []string{"handoff/document/handoff", "handoff/log/artifact", "handoff/lint", "handoff/parse", "handoff/document/task", "handoff/workspace/...", "handoff/internal/json/jsontext", "handoff/internal/process", "handoff/internal/text/prose", "handoff/internal/text/visible", "handoff/log/receipt"}},
	"handoff/surface/top":                {ours: []string{"handoff/workspace/states", "handoff/internal/text/say", "handoff/internal/text/shellword", "handoff/internal/text/visible", "handoff/log/receipt", "handoff/watch", "handoff/workspace", "handoff/workspace/overview", "handoff/workspace/receipts", "handoff/workspace/unreported", "handoff/workspace/verify", "handoff/document/handoff", "handoff/log/thread", "handoff/log/thread/compile/render", "handoff/workspace/threadops", "handoff/workspace/threads"}},
	"handoff/surface/mcp":                {ours: []string{"handoff/log/artifact", "handoff/log/artifact/fetchtool", "handoff/surface/problem", "handoff/surface/refusal", "handoff/internal/file/nofollow", "handoff/document/handoff", "handoff/document/brief", "handoff/internal/text/...", "handoff/internal/web/...", "handoff/lint", "handoff/log/receipt", "handoff/log/tape", "handoff/workspace/...", "handoff/agents/skill", "handoff/log/tape/tool", "handoff/internal/json/jsontext"}},
	"handoff/cmd/handoff":                {ours: []string{"handoff/surface/problem", "handoff/internal/text/nearest", "handoff/specs/example", "handoff/surface/command", "handoff/surface/command/cli", "handoff/surface/command/agents", "handoff/surface/command/artifacts", "handoff/surface/command/check", "handoff/surface/command/claims", "handoff/surface/command/handoffs", "handoff/surface/command/help", "handoff/surface/command/reading", "handoff/surface/command/relays", "handoff/surface/command/serving", "handoff/surface/command/stores", "handoff/surface/command/tapes", "handoff/surface/command/threads", "handoff/workspace/handoffops", "handoff/surface/command/operations"}},
	"handoff/surface/command":            {ours: []string{"handoff/surface/command/cli", "handoff/document/handoff", "handoff/agents", "handoff/agents/host", "handoff/agents/past", "handoff/agents/transcript", "handoff/log/engine", "handoff/log/engine/open", "handoff/log/engine/replica", "handoff/internal/...", "handoff/lint", "handoff/lint/report", "handoff/lint/rules", "handoff/surface/problem", "handoff/log/receipt", "handoff/surface/httpapi/client", "handoff/surface/refusal", "handoff/log/thread", "handoff/log/thread/runner", "handoff/workspace/...", "handoff/agents/sessions"}},
	"handoff/surface/command/agents":     {ours: []string{"handoff/agents", "handoff/agents/host", "handoff/agents/past", "handoff/agents/sessions", "handoff/agents/windows", "handoff/internal/text/say", "handoff/internal/text/shellword", "handoff/log/receipt", "handoff/surface/command", "handoff/surface/command/cli", "handoff/agents/transcript", "handoff/agents/transcript/audit", "handoff/agents/transcript/facts", "handoff/surface/author", "handoff/agents/transcript/gauge", "handoff/agents/transcript/tail", "handoff/workspace/...", "handoff/agents/doctor", "handoff/agents/setup", "handoff/document/evidence", "handoff/document/handoff", "handoff/document/task", "handoff/internal/file/gitindex", "handoff/internal/file/nofollow", "handoff/internal/file/regular", "handoff/surface/hooks"}},
	"handoff/surface/command/artifacts":  {ours: []string{"handoff/document/handoff", "handoff/log/artifact", "handoff/log/artifact/fetchtool", "handoff/log/bundle", "handoff/internal/file/atomicfile", "handoff/internal/file/nofollow", "handoff/internal/json/toolform", "handoff/surface/command", "handoff/surface/command/cli", "handoff/workspace/...", "handoff/surface/command/operations"}},
	"handoff/surface/command/check":      {ours: []string{"handoff/document/handoff", "handoff/internal/file/atomicfile", "handoff/internal/file/nofollow", "handoff/internal/file/regular", "handoff/lint", "handoff/lint/report", "handoff/lint/rules", "handoff/surface/command", "handoff/surface/command/cli", "handoff/workspace/..."}},
	"handoff/surface/command/claims":     {ours: []string{"handoff/internal/procgroup", "handoff/log/thread/runner", "handoff/document/handoff", "handoff/agents", "handoff/agents/host", "handoff/agents/sessions", "handoff/internal/file/gitwork", "handoff/internal/text/say", "handoff/internal/text/shellword", "handoff/log/receipt", "handoff/surface/command", "handoff/surface/command/cli", "handoff/surface/command/operations", "handoff/surface/top", "handoff/workspace/..."}},
	"handoff/surface/author":             {ours: []string{"handoff/agents/host", "handoff/agents/sessions", "handoff/agents/transcript/audit", "handoff/agents/transcript/facts", "handoff/internal/file/nofollow", "handoff/document/claims", "handoff/document/handoff", "handoff/document/seen", "handoff/internal/file/gitindex", "handoff/internal/file/regular", "handoff/workspace", "handoff/workspace/prove"}},
	"handoff/surface/command/cli":        {},
	"handoff/surface/command/handoffs":   {ours: []string{"handoff/surface/author", "handoff/agents/past", "handoff/templates", "handoff/document/handoff", "handoff/agents", "handoff/agents/sessions", "handoff/log/convert", "handoff/internal/...", "handoff/lint", "handoff/log/receipt", "handoff/surface/command", "handoff/surface/command/cli", "handoff/document/task", "handoff/log/thread", "handoff/agents/transcript", "handoff/agents/transcript/facts", "handoff/workspace/...", "handoff/log/artifact", "handoff/surface/command/operations", "handoff/lint/report"}},
	"handoff/surface/command/help":       {ours: []string{"handoff/surface/problem", "handoff/document/handoff", "handoff/internal/text/nearest", "handoff/docs/schema", "handoff/surface/command", "handoff/surface/command/cli", "handoff/surface/command/operations", "handoff/workspace/...", "handoff/internal/text/visible", "handoff/log/thread/runner", "handoff/sdk/conformance"}},
	"handoff/surface/command/operations": {ours: []string{"handoff/surface/author", "handoff/log/artifact", "handoff/internal/file/userstate", "handoff/internal/web/caller", "handoff/internal/web/localtoken", "handoff/surface/command", "handoff/surface/command/cli", "handoff/surface/httpapi/client", "handoff/log/thread/compile", "handoff/log/thread/compile/render", "handoff/agents", "handoff/agents/host", "handoff/document/handoff", "handoff/internal/file/nofollow", "handoff/internal/json/toolform", "handoff/internal/text/nearest", "handoff/internal/text/shellword", "handoff/lint", "handoff/log/convert", "handoff/log/receipt", "handoff/log/tape", "handoff/log/tape/bub", "handoff/templates", "handoff/workspace/..."}},
	"handoff/surface/command/reading":    {ours: []string{"handoff/internal/text/say", "handoff/document/handoff", "handoff/document/brief", "handoff/internal/file/regular", "handoff/internal/text/tree", "handoff/document/pinned", "handoff/surface/command", "handoff/surface/command/cli", "handoff/surface/command/operations", "handoff/log/thread", "handoff/agents/sessions", "handoff/agents/transcript", "handoff/agents/transcript/audit", "handoff/internal/file/gitindex", "handoff/surface/author", "handoff/log/receipt", "handoff/workspace/..."}},
	"handoff/surface/command/relays":     {ours: []string{"handoff/document/handoff", "handoff/agents", "handoff/agents/acp", "handoff/agents/sessions", "handoff/document/evidence", "handoff/internal/procgroup", "handoff/internal/text/say", "handoff/internal/text/shellword", "handoff/log/receipt", "handoff/surface/command", "handoff/surface/command/cli", "handoff/log/thread/runner", "handoff/workspace/..."}},
	"handoff/surface/command/serving":    {ours: []string{"handoff/surface/author", "handoff/document/handoff", "handoff/agents/host", "handoff/internal/...", "handoff/lint/rules", "handoff/log/receipt", "handoff/surface/command", "handoff/surface/command/cli", "handoff/surface/command/operations", "handoff/surface/dashboard", "handoff/surface/httpapi", "handoff/surface/lsp", "handoff/surface/mcp", "handoff/log/thread/rip", "handoff/workspace/...", "handoff/log/artifact", "handoff/agents", "handoff/agents/sessions"}},
	"handoff/surface/command/stores":     {ours: []string{"handoff/log/engine", "handoff/log/engine/copy", "handoff/log/engine/open", "handoff/log/engine/replica", "handoff/internal/text/say", "handoff/surface/command", "handoff/surface/command/cli", "handoff/workspace/..."}},
	"handoff/surface/command/tapes":      {ours: []string{"handoff/document/handoff", "handoff/log/convert", "handoff/internal/...", "handoff/surface/command", "handoff/surface/command/cli", "handoff/surface/command/operations", "handoff/log/tape", "handoff/log/tape/bub", "handoff/log/tape/bulk", "handoff/log/tape/comma", "handoff/log/tape/tool", "handoff/workspace/..."}},
	"handoff/surface/command/threads":    {ours: []string{"handoff/internal/procgroup", "handoff/internal/text/say", "handoff/document/handoff", "handoff/log/artifact", "handoff/log/bundle", "handoff/internal/text/say", "handoff/internal/text/shellword", "handoff/internal/text/tree", "handoff/surface/command", "handoff/surface/command/cli", "handoff/surface/command/operations", "handoff/surface/httpapi/client", "handoff/log/thread", "handoff/log/thread/compile", "handoff/log/thread/compile/render", "handoff/log/thread/rip", "handoff/log/thread/runner", "handoff/workspace/..."}},
}

// only names the one package that may use a library, so that it can be replaced
// in one place. The commands are one place.
var only = map[string]string{
	"github.com/yuin/goldmark":     "handoff/parse",
	"github.com/adrg/frontmatter":  "handoff/parse",
	"github.com/fsnotify/fsnotify": "handoff/watch",
	"github.com/urfave/cli/v2":     "handoff/surface/command/cli",
	"github.com/BurntSushi/toml":   "handoff/agents/setup/edit",
	"github.com/nats-io/nats.go":   "handoff/log/engine/jetstream",
	"charm.land/bubbletea/v2":      "handoff/surface/top",

	"github.com/santhosh-tekuri/jsonschema/v6": "handoff/internal/testing/schematest",
}

// impure are the packages that reach outside the process, or ask the clock's
// relatives for chance.
var impure = []string{"os", "os/exec", "os/signal", "net", "net/http", "syscall", "math/rand", "math/rand/v2", "crypto/rand"}

// reach is the most lines of our code, counted as for maxLines and with those of all packages that it imports, that a
// package may pull in: what somebody who changes it may have to know. A change that needs
// more makes a package depend on what it is not about; a limit is lowered when a change
// allows it. Numbers of imports are not limited: a package may be split for that alone.
var reach = map[string]int{
	"handoff/workspace":           25400,
	"handoff/workspace/documents": 35150,
	"handoff/workspace/sync":      36450,
	"handoff/workspace/check":     33000,
	"handoff/workspace/create":    38600,
	"handoff/workspace/daemon":    39300,
	"handoff/workspace/verify":    48500,
	"handoff/workspace/receipts":  39850,
	"handoff/workspace/delivery":  47900,
	"handoff/workspace/overview":  36650,
	"handoff/workspace/relay":     74000,
	"handoff/workspace/spawn":     59900,
	"handoff/surface/hooks":       50500,
	"handoff/surface/lsp":         39000,
	"handoff/surface/mcp":         79500,
	"handoff/lint":                7700,
	"handoff/parse":               5850,
	"handoff/log/receipt":         13000,
	"handoff/workspace/reconcile": 17100,
	"handoff/log/tape":            18350,
	"handoff/log/thread":          18150,
	"handoff/watch":               7800,
}

// never are packages that others must not reach, by whatever way: rooms with no business in
// threads, tapes or a server, in what is known of a task, or in the texts that a hook shows.
// "x/..." means x and everything below it.
var never = map[string][]string{
	"handoff/workspace":          logs,
	"handoff/workspace/check":    slices.Concat(logs, tasks),
	"handoff/workspace/create":   logs,
	"handoff/workspace/daemon":   logs,
	"handoff/workspace/delivery": slices.Concat(logs, texts),
	"handoff/workspace/receipts": logs,
	"handoff/workspace/sync":     logs,
	"handoff/surface/hooks":      slices.Concat(logs, texts),
	"handoff/surface/lsp":        slices.Concat(logs, tasks),
}

var (
	// logs are the packages of threads and tapes, and the one that speaks to a server.
	logs = []string{"handoff/log/thread/...", "handoff/log/tape/...", "handoff/workspace/threads", "handoff/workspace/tapes", "handoff/workspace/chains", "handoff/log/engine/jetstream"}
	// tasks are the packages that know the documents and the metadata of a task.
	tasks = []string{"handoff/workspace/documents", "handoff/workspace/reconcile/...", "handoff/workspace/receipts"}
	// texts are those that write what a session is shown, and drafts.
	texts = []string{"handoff/document/brief", "handoff/workspace/draft", "handoff/workspace/spawn/prompt", "handoff/workspace/unreported"}
)

type goPackage struct {
	ImportPath, Name, Dir string
	GoFiles, Imports      []string
}

func TestLayering(t *testing.T) {
	for _, p := range list(t) {
		rule, ok := layer[p.ImportPath]
		if !ok {
			t.Errorf("%s is in no layer: add it to the table with what it may import", p.ImportPath)
			continue
		}
		if p.Name == "main" && p.ImportPath != "handoff/cmd/handoff" {
			t.Errorf("%s: a second main package: `go install ./...` would install it", p.ImportPath)
		}
		for _, imp := range p.Imports {
			if ours(imp) && !slices.ContainsFunc(rule.ours, func(may string) bool { return covers(may, imp) }) {
				t.Errorf("%s imports %s: that is not below it", p.ImportPath, imp)
			}
			if layer[imp].test && !rule.test {
				t.Errorf("%s imports %s: only tests may", p.ImportPath, imp)
			}
			if rule.pure && slices.Contains(impure, imp) {
				t.Errorf("%s imports %s: it is meant to be pure", p.ImportPath, imp)
			}
			for lib, home := range only {
				if covers(lib+"/...", imp) && !covers(home, p.ImportPath) && p.Name != "main" {
					t.Errorf("%s imports %s: only %s may", p.ImportPath, imp, home)
				}
			}
		}
	}
}

// TestNever finds packages that others must not reach, with the import that does.
func TestNever(t *testing.T) {
	packages := byPath(t)
	for path, banned := range never {
		if _, ok := packages[path]; !ok {
			t.Errorf("%s must not reach some packages, and does not exist", path)
		}
		deps := map[string]bool{}
		reached(packages, path, deps)
		for dep := range deps {
			for _, imp := range packages[dep].Imports {
				if slices.ContainsFunc(banned, func(b string) bool { return covers(b, imp) && !covers(b, dep) }) {
					t.Errorf("%s must not reach %s: %s imports it", path, imp, dep)
				}
			}
		}
	}
	for _, b := range slices.Concat(logs, tasks, texts) {
		if _, ok := packages[strings.TrimSuffix(b, "/...")]; !ok {
			t.Errorf("%s must not be reached, and does not exist", b)
		}
	}
}

// TestReach compares the lines that packages pull in with reach.
func TestReach(t *testing.T) {
	packages := byPath(t)
	for path, most := range reach {
		if _, ok := packages[path]; !ok {
			t.Errorf("%s has a limit, and does not exist", path)
			continue
		}
		deps := map[string]bool{}
		reached(packages, path, deps)
		n := 0
		for dep := range deps {
			for _, name := range packages[dep].GoFiles {
				n += codeLines(t, filepath.Join(packages[dep].Dir, name))
			}
		}
		if n > most {
			t.Errorf("%s reaches %d packages with %d lines, at most %d are allowed", path, len(deps), n, most)
		}
	}
}

// reached adds a package of ours and all that it imports.
func reached(packages map[string]goPackage, path string, to map[string]bool) {
	to[path] = true
	for _, imp := range packages[path].Imports {
		if ours(imp) && !to[imp] {
			reached(packages, imp, to)
		}
	}
}

// maxLines is the most lines that a package may have, without tests, comments and blank
// lines: what one can read in a day.
const maxLines = 3500

// maxCommandLines is the most lines that a package of the command line may have, without tests: a new group of
// commands is a new package.
const maxCommandLines = 2000

// TestPackagesAreSmall compares the size of each package with maxLines, and with maxCommandLines.
func TestPackagesAreSmall(t *testing.T) {
	for _, p := range list(t) {
		n, all := 0, 0
		for _, name := range p.GoFiles {
			path := filepath.Join(p.Dir, name)
			n += codeLines(t, path)
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all += strings.Count(string(src), "\n")
		}
		if n > maxLines {
			t.Errorf("%s has %d lines of code, at most %d are allowed: split it", p.ImportPath, n, maxLines)
		}
		if (p.Name == "main" || covers("handoff/surface/command/...", p.ImportPath)) && all > maxCommandLines {
			t.Errorf("%s has %d lines, at most %d are allowed in a package of the command line: split it", p.ImportPath, all, maxCommandLines)
		}
	}
}

// counted is what codeLines has counted: each room reaches many of the same files.
var counted sync.Map

// codeLines is the number of lines of a file that have a token.
func codeLines(t *testing.T, path string) int {
	t.Helper()
	if n, ok := counted.Load(path); ok {
		return n.(int)
	}
	n := countLines(t, path)
	counted.Store(path, n)
	return n
}

func countLines(t *testing.T, path string) int {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file := token.NewFileSet().AddFile(path, -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	lines := map[int]bool{}
	for {
		pos, kind, text := s.Scan()
		if kind == token.EOF {
			return len(lines)
		}
		if kind == token.SEMICOLON && text == "\n" {
			continue // inserted at the end of a line
		}
		first := file.Line(pos)
		for i := range 1 + strings.Count(text, "\n") {
			lines[first+i] = true
		}
	}
}

func byPath(t *testing.T) map[string]goPackage {
	t.Helper()
	packages := map[string]goPackage{}
	for _, p := range list(t) {
		packages[p.ImportPath] = p
	}
	return packages
}

func ours(path string) bool { return covers("handoff/...", path) }

func covers(pattern, path string) bool {
	base, all := strings.CutSuffix(pattern, "/...")
	return path == base || all && strings.HasPrefix(path, base+"/")
}

func list(t *testing.T) []goPackage {
	t.Helper()
	all, err := listed()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// listed asks go list once: it takes a second of CPU, and many tests ask.
var listed = sync.OnceValues(func() (all []goPackage, err error) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Name,Dir,GoFiles,Imports", "./...")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.String())
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		all = append(all, p)
	}
})
