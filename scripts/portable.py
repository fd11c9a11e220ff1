#!/usr/bin/python3 -I
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes an installed tree run on other Linux systems: puts the libraries that it needs beside its own.

    portable.py TREE

TREE is what `cmake --install` wrote. Qt's plug-ins and every library that programs and plug-ins open go into
lib/carryover, except those that each desktop has in its own version (DESKTOP). patchelf makes each find the others
there, from where it lies itself. Licences of the Debian packages that the files come from go into
share/doc/carryover/licences, and their versions into share/doc/carryover/bundled.txt.
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

# glibc and the compiler's libraries are older here than on the systems that the archive is for. Those of X11, OpenGL
# and fonts belong to the drivers and the settings of the desktop.
DESKTOP = {
    "glibc": "ld-linux-x86-64.so.2 libc.so.6 libdl.so.2 libm.so.6 libpthread.so.0 libresolv.so.2 librt.so.1 "
    "libutil.so.1",
    "compiler": "libgcc_s.so.1 libstdc++.so.6",
    "X11": "libX11-xcb.so.1 libX11.so.6 libxcb.so.1",
    "OpenGL": "libEGL.so.1 libGL.so.1 libGLX.so.0 libGLdispatch.so.0 libOpenGL.so.0 libdrm.so.2 libgbm.so.1",
    "fonts": "libfontconfig.so.1 libfreetype.so.6",
    "what these need, too": "libXau.so.6 libXdmcp.so.6 libbsd.so.0 libbrotlicommon.so.1 libbrotlidec.so.1 "
    "libexpat.so.1 libmd.so.0 libpng16.so.16 libwayland-client.so.0 libwayland-server.so.0 libz.so.1",
}
OF_THE_DESKTOP = {name for names in DESKTOP.values() for name in names.split()}

PLUGINS = (
    "iconengines/libqsvgicon.so",
    "imageformats/libqgif.so",
    "imageformats/libqjpeg.so",
    "imageformats/libqsvg.so",
    "platforminputcontexts/libcomposeplatforminputcontextplugin.so",
    "platforminputcontexts/libibusplatforminputcontextplugin.so",
    "platforms/libqminimal.so",
    "platforms/libqoffscreen.so",
    "platforms/libqxcb.so",
    "xcbglintegrations/libqxcb-egl-integration.so",
    "xcbglintegrations/libqxcb-glx-integration.so",
)
FONTS = [
    Path("/usr/share/fonts/truetype") / name
    for name in (
        "dejavu/DejaVuSans-Bold.ttf",
        "dejavu/DejaVuSans.ttf",
        "dejavu/DejaVuSansMono.ttf",
        "noto/NotoSans-Bold.ttf",
        "noto/NotoSans-Regular.ttf",
    )
]
# Newest versions of symbols that Debian 12 has; a file that needs newer ones would not run there.
MOST = {"GLIBC": (2, 36), "GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13)}


def run(*command):
    ended = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        sys.exit(f"portable.py: {' '.join(map(str, command))}: {ended.stderr.strip() or ended.returncode}")
    return ended.stdout


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def elf_files(tree):
    return [path for path in sorted(tree.rglob("*")) if path.is_file() and not path.is_symlink() and is_elf(path)]


def opened_by(path):
    """The libraries that ldd finds for a file: {name: path or None}."""
    found = {}
    for line in run("ldd", path).splitlines():
        if match := re.match(r"\s*(\S+) => (\S+)", line):
            found[match[1]] = None if "not found" in line else Path(match[2])
    return found


def qt_paths():
    """Qt's own folders of plug-ins and translations."""
    for program in ("qtpaths6", "qmake6"):
        if query := shutil.which(program):
            said = dict(line.split(":", 1) for line in run(query, "-query").splitlines() if ":" in line)
            return Path(said["QT_INSTALL_PLUGINS"]), Path(said["QT_INSTALL_TRANSLATIONS"])
    sys.exit("portable.py: neither qtpaths6 nor qmake6 is here to say where Qt's plug-ins are")


def copy_qt(tree, libraries):
    """Returns the plug-ins that it copied."""
    plugins, translations = qt_paths()
    for name in PLUGINS:
        target = libraries / "plugins" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(plugins / name, target)
    (libraries / "translations").mkdir(exist_ok=True)
    for file in sorted(translations.glob("qtbase_de.qm")):
        shutil.copy2(file, libraries / "translations")
    (tree / "bin/qt.conf").write_text(
        "[Paths]\nPrefix = ..\nPlugins = lib/carryover/plugins\nTranslations = lib/carryover/translations\n"
    )
    return [plugins / name for name in PLUGINS]


def copy_libraries(tree, libraries):
    """Copies what files of the tree open, and what that opens. Returns {file in the tree: where it came from}."""
    copied, waiting = {}, elf_files(tree)
    while waiting:
        for name, path in opened_by(waiting.pop()).items():
            target = libraries / name
            if path is None:
                continue  # by a file that is opened with the rest loaded; check() looks again
            if name in OF_THE_DESKTOP or name.startswith("linux-vdso") or tree in path.parents or target.exists():
                continue
            shutil.copy2(path.resolve(), target)
            target.chmod(0o644)
            copied[target] = path
            waiting.append(target)
    return copied


def set_search_paths(copied, libraries):
    for library in copied:
        run("patchelf", "--set-rpath", "$ORIGIN", library)
    for plugin in (libraries / "plugins").rglob("*.so"):
        run("patchelf", "--set-rpath", "$ORIGIN/../..", plugin)
    torch = libraries / "torch/lib"  # which looks in its own folder, and has more than patchelf should rewrite
    if torch.is_dir():
        (torch / "libgomp.so.1").symlink_to("../../libgomp.so.1")


def packages_of(paths):
    """The Debian packages of files, which dpkg may know by their paths before or after /usr was merged."""
    spelled = {path: (path, Path("/usr") / path.relative_to("/"), path.resolve()) for path in paths}
    every = sorted({str(one) for ways in spelled.values() for one in ways})
    said = subprocess.run(["dpkg", "-S", *every], capture_output=True, text=True, check=False).stdout
    owners = dict(reversed(line.split(": ", 1)) for line in said.splitlines() if ": /" in line)
    packages = set()
    for path, ways in spelled.items():
        owner = next((owners[str(one)] for one in ways if str(one) in owners), None)
        if owner is None:
            sys.exit(f"portable.py: dpkg knows no package of {path}, so that its licence is unknown")
        packages.add(owner.split(":")[0].split(",")[0])
    return sorted(packages)


def write_licences(tree, sources):
    documents = tree / "share/doc/carryover"
    packages = packages_of(sources)
    lines = []
    for package in packages:
        target = documents / "licences" / package
        target.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(f"/usr/share/doc/{package}/copyright", target / "copyright")
        lines.append(f"{package} {run('dpkg-query', '-W', '-f', '${Version}', package)}\n")
    (documents / "bundled.txt").write_text("".join(lines))
    return packages


def versions_needed(path):
    """The newest version of each kind of versioned symbols that a file needs."""
    newest = {}
    for kind, number in re.findall(r"Name: (GLIBC|GLIBCXX|CXXABI)_([\d.]+)", run("readelf", "-V", "-W", path)):
        version = tuple(map(int, number.split(".")))
        newest[kind] = max(newest.get(kind, version), version)
    return newest


def check(tree, most, others=frozenset()):
    """Every library that a file needs lies in the tree, is the desktop's or one of `others`, and no symbol is newer than
    `most`."""
    wrong, of_desktop = [], set()
    files = elf_files(tree)
    here = {path.name for path in files}
    for path in files:
        for name in re.findall(r"\(NEEDED\).*\[(.+)\]", run("readelf", "-d", "-W", path)):
            if name in here or name in others:
                continue
            of_desktop.add(name)
            if name not in OF_THE_DESKTOP:
                wrong.append(f"{path.relative_to(tree)} needs {name}, which is not in the archive")
        for kind, version in versions_needed(path).items():
            if version > most[kind]:
                symbol = f"{kind}_{'.'.join(map(str, version))}"
                wrong.append(f"{path.relative_to(tree)} needs {symbol}, newer than Debian 12's")
    if wrong:
        sys.exit("portable.py: " + "\n  ".join(wrong))
    return of_desktop


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    tree = Path(sys.argv[1]).resolve()
    libraries = tree / "lib/carryover"
    plugins = copy_qt(tree, libraries)
    copied = copy_libraries(tree, libraries)
    set_search_paths(copied, libraries)
    fonts = tree / "share/carryover/fonts"
    fonts.mkdir(parents=True, exist_ok=True)
    for file in FONTS:
        shutil.copy2(file, fonts)
    packages = write_licences(tree, [*copied.values(), *plugins, *FONTS])
    of_desktop = check(tree, MOST)
    print(f"{len(copied)} libraries and {len(PLUGINS)} plug-ins of {len(packages)} packages; of the desktop's own: "
          f"{' '.join(sorted(of_desktop))}")


if __name__ == "__main__":
    main()
