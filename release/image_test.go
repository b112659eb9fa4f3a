package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// checkImage reads the image as an engine does: index, manifests, layers, each by its hash.
// root can also run what is in it with nothing else around.
func checkImage(t *testing.T, full *release) {
	blobs := entries(t, read(t, filepath.Join(full.out, packageName+"_"+version+"_oci.tar")), false)
	get := func(b blob, into any) []byte {
		t.Helper()
		data := blobs["blobs/sha256/"+strings.TrimPrefix(b.Digest, "sha256:")]
		if sum := sha256.Sum256(data); b.Digest != "sha256:"+hex.EncodeToString(sum[:]) || len(data) != b.Size {
			t.Fatalf("%+v is damaged", b)
		}
		if into != nil && json.Unmarshal(data, into) != nil {
			t.Fatalf("%+v is no JSON", b)
		}
		return data
	}
	var index struct{ Manifests []blob }
	if err := json.Unmarshal(blobs["index.json"], &index); err != nil || len(index.Manifests) != 1 {
		t.Fatal(err, string(blobs["index.json"]))
	}
	get(index.Manifests[0], &index)
	if len(index.Manifests) != 3 {
		t.Errorf("%d systems, want three", len(index.Manifests))
	}
	for _, m := range index.Manifests {
		var manifest struct {
			Config blob
			Layers []blob
		}
		var config struct {
			Config struct{ Entrypoint []string }
			Rootfs struct {
				DiffIDs []string `json:"diff_ids"`
			}
		}
		get(m, &manifest)
		get(manifest.Config, &config)
		if len(manifest.Layers) != 1 || len(config.Rootfs.DiffIDs) != 1 || len(config.Config.Entrypoint) != 1 {
			t.Fatalf("%+v %+v", manifest, config)
		}
		if layer := get(manifest.Layers[0], nil); m.Platform["os"] == here.system && m.Platform["architecture"] == here.arch {
			runAlone(t, layer, config.Config.Entrypoint[0])
		}
	}
}
