/** Whether somebody is there to answer. */
export const isAttended = ({ json, quiet }: { json?: boolean; quiet?: boolean }): boolean =>
  Boolean(process.stdin.isTTY && process.stdout.isTTY) && !json && !quiet
