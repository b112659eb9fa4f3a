class [[.Class]] < Formula
  desc [[quote .Summary]]
  homepage [[quote .Homepage]]
  version [[quote .Version]]
  license [[quote .License]]

  on_macos do
[[- range .On "darwin"]]
    [[if eq .Arch "arm64"]]on_arm[[else]]on_intel[[end]] do
      url [[quote .URL]]
      sha256 [[quote .SHA256]]
    end
[[- end]]
  end

  on_linux do
[[- range .On "linux"]][[if ne .Arch "arm"]]
    [[if eq .Arch "arm64"]]on_arm[[else]]on_intel[[end]] do
      url [[quote .URL]]
      sha256 [[quote .SHA256]]
    end
[[- end]][[end]]
  end

  def install
    bin.install [[quote .Command]]
    bin.install_symlink [[quote .Command]] => [[quote .Name]]
    bash_completion.install "completions/handoff.bash" => "handoff"
    zsh_completion.install "completions/_handoff"
    fish_completion.install "completions/handoff.fish"
    man1.install Dir["man/man1/*.1"]
  end

  test do
    system bin/[[quote .Name]], "--version"
    system bin/[[quote .Command]], "demo", "--write"
  end
end
