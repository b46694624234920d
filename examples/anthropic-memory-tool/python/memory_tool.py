"""Anthropic's memory tool over `mdmem mcp`: /memories is the store of the workspace."""

import re
from collections import Counter
from urllib.parse import unquote

from anthropic.tools import BetaAsyncAbstractMemoryTool, ToolError
from mcp import ClientSession, types

ROOT = "/memories"


def inside(path: str) -> str:
    """The path in the store for one that the model gives; the root is empty."""
    parts = path.rstrip("/").split("/")
    if parts[:2] != ["", ROOT[1:]]:
        raise ToolError(f"Path must start with {ROOT}, got: {path}")
    file = "/".join(parts[2:])
    # A part that is empty or begins with a dot, also where it is written as %2e.
    if re.search(r"(^|[/\\])[./\\]", unquote(file)):
        raise ToolError(f"Path {path} would escape {ROOT} directory, or is hidden")
    return file


def as_file(path: str) -> str:
    """Memories are Markdown: a name without `.md` gets it."""
    if not (file := inside(path)):
        raise ToolError(f"The path {path} is not a file.")
    return file if file.endswith(".md") else f"{file}.md"


def numbered(lines: list[str], first: int = 1) -> str:
    return "\n".join(f"{number:6}\t{line}" for number, line in enumerate(lines, first))


class MdmemMemoryTool(BetaAsyncAbstractMemoryTool):
    """Takes a client of `mdmem mcp` after its `initialize()`."""

    def __init__(self, session: ClientSession) -> None:
        super().__init__()
        self.session = session

    async def mdmem(self, tool: str, **arguments: str) -> str:
        """What a tool of mdmem answers. A refusal names paths as the model knows them."""
        params = types.CallToolRequestParams(name=tool, arguments={"scope": "project", **arguments})
        # Not `call_tool`, which asks for the list of tools again when it does not know one.
        request = types.ClientRequest(types.CallToolRequest(params=params))
        result = await self.session.send_request(request, types.CallToolResult)
        text = "\n".join(block.text for block in result.content if block.type == "text")
        if result.isError:
            for path in (arguments[name] for name in ("path", "to") if name in arguments):
                text = re.sub(rf"(?<![\w/]){re.escape(path)}", lambda found: f"{ROOT}/{found[0]}", text)
            raise ToolError(text)
        return text

    async def read(self, file: str) -> tuple[str, str] | None:
        """The `rev` and the text of the memory at just this path, if there is one."""
        try:
            head, _, text = (await self.mdmem("memory_read", path=file)).partition("\n\n")
        except ToolError as error:
            if str(error).startswith("no memory"):
                return None
            raise
        fields = dict(line.split(": ", 1) for line in head.splitlines() if ": " in line)
        return (fields["rev"], text) if fields.get("path") == file else None

    async def existing(self, path: str) -> tuple[str, str, str]:
        file = as_file(path)
        if not (found := await self.read(file)):
            raise ToolError(f"The path {path} does not exist. Please provide a valid path.")
        return file, *found

    async def files(self, folder: str) -> tuple[list[tuple[str, int]], int]:
        """Paths and characters of the memories in a folder, and how many more there are (it lists 200)."""
        tree = await self.mdmem("memory_tree", folder=folder)
        listed = [(path, int(chars)) for path, chars in re.findall(r"^(.+?\.md) \((\d+)\)", tree, re.M)]
        more = re.search(r"^(\d+) more, ", tree, re.M)
        return listed, int(more[1]) if more else 0

    async def view(self, command) -> str:
        path = inside(command.path)
        if path and (found := await self.read(as_file(command.path))):
            lines = found[1].split("\n")
            first, last = command.view_range or (1, -1)
            first = max(first, 1)
            shown = lines[first - 1 : None if last == -1 else last]
            return f"Here's the content of {command.path} with line numbers:\n{numbered(shown, first)}"
        files, more = await self.files(path)
        if path and not files:
            raise ToolError(f"The path {command.path} does not exist. Please provide a valid path.")
        sizes = Counter({"": 0})
        for file, chars in files:
            parts = file.removeprefix(path).strip("/").split("/")
            for depth in range(min(len(parts), 2) + 1):
                sizes["/".join(parts[:depth]) + "/" * (0 < depth < len(parts))] += chars
        folder = command.path.rstrip("/")
        rows = [f"{chars}\t{folder}{'/' * bool(name)}{name}" for name, chars in sorted(sizes.items())]
        rows += [f"{more} more files, in no order: view a folder of them"] if more else []
        head = f"Here're the files and directories up to 2 levels deep in {command.path}, excluding hidden items:"
        return "\n".join([head, *rows])

    async def create(self, command) -> str:
        file = as_file(command.path)
        if await self.read(file):
            raise ToolError(f"File {command.path} already exists")
        await self.mdmem("memory_write", path=file, content=command.file_text)
        return f"File created successfully at: {ROOT}/{file}"

    async def str_replace(self, command) -> str:
        file, rev, text = await self.existing(command.path)
        at = [found.start() for found in re.finditer(re.escape(command.old_str), text)]
        if not at:
            raise ToolError(
                f"No replacement was performed, old_str `{command.old_str}` did not appear verbatim in {command.path}."
            )
        lines = [text.count("\n", 0, start) for start in at]
        if len(at) > 1:
            raise ToolError(
                f"No replacement was performed. Multiple occurrences of old_str `{command.old_str}` in lines:"
                f" {', '.join(str(line + 1) for line in lines)}. Please ensure it is unique"
            )
        await self.mdmem("memory_edit", path=file, old=command.old_str, new=command.new_str, rev=rev)
        first = max(lines[0] - 2, 0)
        shown = numbered(text.replace(command.old_str, command.new_str).split("\n")[first : lines[0] + 3], first + 1)
        return f"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{shown}"

    async def insert(self, command) -> str:
        file, rev, text = await self.existing(command.path)
        lines = text.removesuffix("\n").split("\n")
        if not 0 <= command.insert_line <= len(lines):
            raise ToolError(
                f"Invalid `insert_line` parameter: {command.insert_line}."
                f" It should be within the range of lines of the file: [0, {len(lines)}]"
            )
        lines.insert(command.insert_line, command.insert_text.removesuffix("\n"))
        await self.mdmem("memory_write", path=file, content="\n".join(lines) + "\n", rev=rev)
        return f"The file {command.path} has been edited."

    async def below(self, path: str) -> list[str]:
        """The memory at a path, or all of the folder there."""
        if await self.read(file := as_file(path)):
            return [file]
        files, more = await self.files(inside(path))
        if not files:
            raise ToolError(f"The path {path} does not exist")
        if more:
            raise ToolError(f"The path {path} has more than {len(files)} files: take its folders one by one")
        return [file for file, _ in files]

    async def delete(self, command) -> str:
        if not inside(command.path):
            raise ToolError(f"Cannot delete the {ROOT} directory itself")
        for file in await self.below(command.path):
            await self.mdmem("memory_delete", path=file)
        return f"Successfully deleted {command.path}"

    async def rename(self, command) -> str:
        old, new = inside(command.old_path), inside(command.new_path)
        if not old:
            raise ToolError(f"Cannot rename the {ROOT} directory itself")
        files = await self.below(command.old_path)
        if not new or await self.read(as_file(command.new_path)) or (await self.files(new))[0]:
            raise ToolError(f"The destination {command.new_path} already exists")
        for file in files:
            is_one = file == as_file(command.old_path)
            to = as_file(command.new_path) if is_one else new + file.removeprefix(old)
            await self.mdmem("memory_move", path=file, to=to)
        return f"Successfully renamed {command.old_path} to {command.new_path}"
