// The first program in a container of a hosted MCP server. It makes the secrets variables, which the engine's records never have, and becomes the
// program of the package: the console script with the package's name, or the only one.
export const launcher = `
import importlib.metadata, os, re, sys
name, arguments = sys.argv[1], sys.argv[2:]
for secret in os.listdir("/run/secrets"):
    with open("/run/secrets/" + secret, newline="") as file:
        os.environ[secret] = file.read()
def canonical(text):
    return re.sub(r"[-_.]+", "-", text).lower()
found = importlib.metadata.distribution(name).entry_points
scripts = sorted(one.name for one in found if one.group == "console_scripts")
named = [one for one in scripts if canonical(one) == canonical(name)] or scripts
if len(named) != 1:
    sys.exit("gantry: " + name + " has no program of its name" + ("; it has " + ", ".join(scripts) if scripts else ""))
os.execv("/opt/venv/bin/" + named[0], [named[0], *arguments])
`;
