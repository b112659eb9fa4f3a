{
  description = [[quote .Summary]];
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
  outputs = { self, nixpkgs }:
    let
      archives = {
[[- range .On "darwin"]]
        [[.Python]]-darwin = { url = [[quote .URL]]; sha256 = [[quote .SHA256]]; };
[[- end]]
[[- range .On "linux"]]
        [[.Python]]-linux = { url = [[quote .URL]]; sha256 = [[quote .SHA256]]; };
[[- end]]
      };
      package = system:
        let pkgs = nixpkgs.legacyPackages.${system}; in
        pkgs.stdenvNoCC.mkDerivation {
          pname = [[quote .Name]];
          version = [[quote .Version]];
          src = pkgs.fetchurl archives.${system};
          dontStrip = true; # it is, and on macOS that would break its signature
          installPhase = ''
            mkdir -p $out/bin $out/share/man $out/share/bash-completion/completions $out/share/zsh/site-functions $out/share/fish/vendor_completions.d
            cp [[.Command]] $out/bin/
            ln -s [[.Command]] $out/bin/[[.Name]]
            cp -r man/man1 $out/share/man/
            cp completions/handoff.bash $out/share/bash-completion/completions/handoff
            cp completions/_handoff $out/share/zsh/site-functions/
            cp completions/handoff.fish $out/share/fish/vendor_completions.d/
          '';
          meta = {
            description = [[quote .Summary]];
            homepage = [[quote .Homepage]];
            mainProgram = [[quote .Command]];
          };
        };
    in {
      packages = builtins.mapAttrs (system: archive: { default = package system; }) archives;
    };
}
