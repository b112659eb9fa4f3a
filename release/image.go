package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"time"
)

// blob is a part of an image, named by its hash.
type blob struct {
	MediaType string            `json:"mediaType"`
	Digest    string            `json:"digest"`
	Size      int               `json:"size"`
	Platform  map[string]string `json:"platform,omitempty"`
	Names     map[string]string `json:"annotations,omitempty"`
}

const oci = "application/vnd.oci.image."

// ociImage writes the image of all Linux targets from scratch, as an archive of an OCI layout:
// the binary at /handoff, under its second name, a folder /tmp and a working directory for
// the repository. No daemon is needed to build it.
func (r *release) ociImage(work string, chosen []target) error {
	var layout []file
	add := func(mediaType string, data []byte) blob {
		sum := sha256.Sum256(data)
		name := hex.EncodeToString(sum[:])
		layout = append(layout, file{name: "blobs/sha256/" + name, data: data, mode: 0o644})
		return blob{MediaType: oci + mediaType, Digest: "sha256:" + name, Size: len(data)}
	}
	var manifests []blob
	for _, t := range chosen {
		if t.system != "linux" {
			continue
		}
		m, err := r.imageOf(work, t, add)
		if err != nil {
			return err
		}
		manifests = append(manifests, m)
	}
	if manifests == nil {
		return nil
	}
	index := add("index.v1+json", asJSON(object{"schemaVersion": 2, "mediaType": oci + "index.v1+json", "manifests": manifests}))
	index.Names = map[string]string{"org.opencontainers.image.ref.name": r.built.version}
	layout = append(layout,
		file{name: "index.json", data: asJSON(object{"schemaVersion": 2, "mediaType": oci + "index.v1+json", "manifests": []blob{index}}), mode: 0o644},
		file{name: "oci-layout", data: []byte(`{"imageLayoutVersion":"1.0.0"}`), mode: 0o644})
	var b bytes.Buffer
	if err := tarred(&b, "", layout, r.built.time); err != nil {
		return err
	}
	return r.write(packageName+"_"+r.built.version+"_oci.tar", b.Bytes())
}

// imageOf adds the layer, the configuration and the manifest of one target.
func (r *release) imageOf(work string, t target, add func(string, []byte) blob) (blob, error) {
	binary, err := r.compile(work, t)
	if err != nil {
		return blob{}, err
	}
	data, err := os.ReadFile(binary)
	if err != nil {
		return blob{}, err
	}
	files := []file{
		{name: "LICENSE", data: r.page("LICENSE"), mode: 0o644},
		{name: command, data: data, mode: 0o755},
		{name: packageName, link: command, mode: 0o777},
		{name: "tmp", mode: fs.ModeDir | fs.ModeSticky | 0o777},
		{name: "work", mode: fs.ModeDir | 0o777},
	}
	var plain bytes.Buffer
	if err := tarred(&plain, "", files, r.built.time); err != nil {
		return blob{}, err
	}
	layer, err := tarball("", files, r.built.time)
	if err != nil {
		return blob{}, err
	}
	config := add("config.v1+json", asJSON(r.imageConfig(t, plain.Bytes())))
	m := add("manifest.v1+json", asJSON(object{"schemaVersion": 2, "mediaType": oci + "manifest.v1+json",
		"config": config, "layers": []blob{add("layer.v1.tar+gzip", layer)}}))
	m.Platform = platform(t)
	return m, nil
}

// imageConfig is what a container gets. The registry of MCP servers compares the label.
func (r *release) imageConfig(t target, layer []byte) object {
	sum := sha256.Sum256(layer)
	config := object{
		"created": r.built.time.UTC().Format(time.RFC3339),
		"config": object{
			"Entrypoint": []string{"/" + command}, "WorkingDir": "/work", "Env": []string{"PATH=/", "HOME=/tmp"},
			"Labels": map[string]string{
				"org.opencontainers.image.source": homepage, "org.opencontainers.image.licenses": licence,
				"org.opencontainers.image.version": r.built.version, "io.modelcontextprotocol.server.name": r.mcp,
			},
		},
		"rootfs": object{"type": "layers", "diff_ids": []string{"sha256:" + hex.EncodeToString(sum[:])}},
	}
	for name, value := range platform(t) {
		config[name] = value
	}
	return config
}

func platform(t target) map[string]string {
	p := map[string]string{"os": t.system, "architecture": t.arch}
	if t.arch == "arm" {
		p["variant"] = "v7"
	}
	return p
}

// asJSON is a value whose types are all known to be JSON.
func asJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}
