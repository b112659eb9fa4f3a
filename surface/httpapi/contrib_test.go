package httpapi

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
)

// contribTests are the tests of Bub's other stores that apply to any store; the
// others test keys, schemas and drivers of those stores. HANDOFF_BUB_CONTRIB is
// a checkout of github.com/bubbuild/bub-contrib, as .ci/bub-contrib creates.
var contribTests = map[string]string{
	"redis": "test_list_tapes_returns_sorted_names test_append_assigns_incrementing_ids_and_reset_restarts test_fetch_all_matches_bub_query_contract " +
		"test_query_text_matches_payload_and_meta test_query_between_dates_is_inclusive test_query_combines_anchor_date_and_text_filters " +
		"test_missing_anchor_and_invalid_date_raise_bub_error test_duplicate_anchor_names_use_latest_start_and_first_following_end " +
		"test_reset_clears_anchor_indexes test_empty_string_anchor_is_indexed test_tapemanager_reads_last_anchor_slice",
	"sqlalchemy": "test_append_list_and_reset_tapes test_assigns_monotonic_ids_per_tape test_query_after_anchor_and_last_anchor " +
		"test_query_between_anchors_kinds_and_limit test_query_kinds_accepts_sequence_input test_append_is_safe_across_store_instances " +
		"test_store_supports_long_tape_and_anchor_names test_query_missing_anchor_matches_builtin_error_shape " +
		"test_query_search_matches_builtin_payload_filtering test_query_search_respects_anchor_bounds " +
		"test_query_search_escapes_sql_like_wildcards test_read_missing_tape_matches_builtin_shape",
	"sqlite": "test_append_list_and_reset_tapes test_query_after_anchor_and_last_anchor test_query_between_anchors_kinds_and_limit " +
		"test_query_missing_anchor_matches_existing_error_shape test_query_falls_back_to_ilike_without_embedding_model",
}

// TestContrib runs the published tests of Bub's stores for Redis and SQL with
// the store of sdk/python, which uses a server of this package.
func TestContrib(t *testing.T) {
	venvs := needs.Folder(t, "HANDOFF_BUB_VENVS")
	contrib := needs.Folder(t, "HANDOFF_BUB_CONTRIB")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	adapter := filepath.Join(here, "testdata", "contrib") + string(os.PathListSeparator) + filepath.Join(here, "..", "..", "sdk", "python", "src")
	for store, names := range contribTests {
		t.Run(store, func(t *testing.T) {
			s := serve(t, nil)
			file := filepath.Join(contrib, "packages", "bub-tapestore-"+store, "tests", "test_store.py")
			tests := strings.Fields(names)
			args := []string{"-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", t.TempDir()}
			for _, name := range tests {
				args = append(args, file+"::"+name)
			}
			cmd := exec.Command(filepath.Join(venvs, "bub-contrib", "bin", "python"), args...)
			cmd.Env = append(os.Environ(), "PYTHONPATH="+adapter, "PYTHONDONTWRITEBYTECODE=1", "HANDOFF_URL="+s.url, "NO_PROXY=*", "BUB_HOME="+t.TempDir())
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), strconv.Itoa(len(tests))+" passed") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
