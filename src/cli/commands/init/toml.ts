/** Whether a TOML text has this table, or one below it: `tool.ruff` is there with `[tool.ruff.lint]` only. */
export const hasSection = (text: string, name: string): boolean =>
  new RegExp(`^[ \\t]*\\[\\[?[ \\t]*${name.replaceAll('.', '\\.')}[ \\t]*[.\\]]`, 'm').test(text)
