# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced: prints where python3's packages lie, if they hold the LibTorch that this is built for.
python_torch() {
  python3 -I - <<'PY' 2>/dev/null
import importlib.metadata, importlib.util, os, site, sys
sys.path.append(site.getusersitepackages())  # of this user; -I leaves it out, with the current folder
if importlib.metadata.version("torch").split("+")[0] != "2.11.0": sys.exit(1)
print(os.path.dirname(os.path.dirname(importlib.util.find_spec("torch").origin)))
PY
}
