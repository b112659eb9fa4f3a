package agents

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"handoff/internal/text/strictyaml"
)

// Doctor is what `handoff doctor` checks of a host: whether it was told not to run hooks.
// Paths are those of [Setup].
type Doctor struct {
	Settings List     `yaml:"settings" json:"settings"` // files in JSON or TOML, the strongest first
	State    List     `yaml:"state" json:"state"`       // further files in JSON that it keeps
	Switches []Switch `yaml:"switches" json:"switches"`
	On       string   `yaml:"on" json:"on"` // the line if no switch is off; "" for none
	Trust    Trust    `yaml:"trust" json:"trust"`
	Checks   List     `yaml:"checks" json:"checks"` // further checks, which are programs: see package doctor
}

// Switch is a setting or a variable that switches something off. The first file that has the
// setting decides.
type Switch struct {
	Env   string `yaml:"env" json:"env"`     // a variable that is not empty, 0 or false
	Files List   `yaml:"files" json:"files"` // none for Settings
	Path  List   `yaml:"path" json:"path"`   // names of members on the way to the value
	Off   string `yaml:"off" json:"off"`     // the JSON that means off
	Lists bool   `yaml:"lists" json:"lists"` // the value is a list, which switches off the hooks that it names
	With  string `yaml:"with" json:"with"`   // a member: each file that has it needs the value Must at Path
	Must  string `yaml:"must" json:"must"`

	State  string `yaml:"state" json:"state"`   // warning; "" for problem
	Effect string `yaml:"effect" json:"effect"` // what is off; "" for: no hook runs
	Fix    string `yaml:"fix" json:"fix"`       // "" for what follows from Off
}

// Trust is how a host records that the user trusts a folder.
type Trust struct {
	Form     string `yaml:"form" json:"form"`         // see package doctor; "" for a host that does not ask
	File     string `yaml:"file" json:"file"`         // with the record
	Env      string `yaml:"env" json:"env"`           // a variable that is "true" where each folder is trusted
	Unasked  bool   `yaml:"unasked" json:"unasked"`   // it asks only if its settings say so
	Settings List   `yaml:"settings" json:"settings"` // which say whether it asks
	Names    List   `yaml:"names" json:"names"`       // of the member with the record, older ones last
	Hint     string `yaml:"hint" json:"hint"`         // another way
}

// TrustForms are the forms of [Trust], and DoctorChecks the checks that are programs.
var (
	TrustForms   = []string{"projects", "hashes", "list", "folders"}
	DoctorChecks = []string{"features", "plugin", "worktree", "instructions"}
)

func (a *Agent) checkDoctor(r *strictyaml.Reading) {
	if f := a.Doctor.Trust.Form; f != "" && !slices.Contains(TrustForms, f) {
		r.Complain("/doctor/trust", "unknown form %q (%s)", f, strings.Join(TrustForms, ", "))
	}
	for _, c := range a.Doctor.Checks {
		if !slices.Contains(DoctorChecks, c) {
			r.Complain("/doctor/checks", "unknown check %q (%s)", c, strings.Join(DoctorChecks, ", "))
		}
	}
	for i, s := range a.Doctor.Switches {
		if s.Env == "" && (len(s.Path) == 0 || s.Off == "" && !s.Lists && s.Must == "") {
			r.Complain(fmt.Sprintf("/doctor/switches/%d", i), "want env, or path with off, lists or must")
		}
		if s.State != "" && s.State != "warning" {
			r.Complain(fmt.Sprintf("/doctor/switches/%d", i), "unknown state %q (warning, or none for a problem)", s.State)
		}
	}
}

// paths are all paths of the checks.
func (d Doctor) paths() []string {
	all := slices.Concat(d.Settings, d.State, d.Trust.Settings, List{d.Trust.File})
	for _, s := range d.Switches {
		all = append(all, s.Files...)
	}
	return all
}

// same reports whether two parts of an entry are equal.
func same[T any](a, b T) bool { return reflect.DeepEqual(a, b) }
