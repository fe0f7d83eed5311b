/** Replaces what is never the same twice: ids, times, durations, processes, inodes, hashes, names of scratch folders. */
export function masked(text: string): string {
  return (
    text
      .replace(/\b\d{8}-\d{6}-[a-z0-9]{3,}\b/g, '<run>')
      .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<uuid>')
      .replace(/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g, '<time>')
      .replace(/\b\d\d:\d\d(?::\d\d)?\b/g, '<clock>')
      .replace(/\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,64}\b/g, '<hash>')
      .replace(/\b\d{7,}\b/g, '<number>')
      .replace(/<number>\.\d+/g, '<number>')
      .replace(
        /"(\w*(?:[mM]s|pid|pids|inode|ino|dev|birth|warden|elapsed|duration|seconds|worked|waited|took|up))":\s*-?\d+(?:\.\d+)?/g,
        '"$1":<number>',
      )
      .replace(/"(startTime|stat)":\s*"[^"]*"/g, '"$1":"<stat>"')
      .replace(/"\d+:(?:\d+|<number>)(?::(?:\d+|<number>))*"/g, '"<inode>"')
      .replace(/\b(pid|process) \d+/g, '$1 <pid>')
      .replace(/\bduration=\S+/g, 'duration=<time>')
      .replace(/\b\d+(?:\.\d+)? ?(?:ms|s|sec|min|m|h)\b(?: ?\d+ ?(?:s|m))?/g, '<time>')
      .replace(/\bralph-(?:cli|test|tests|stories|build|scene|demo)-[A-Za-z0-9_-]{6}/g, '<scratch>')
      .replace(/\btrees-[A-Za-z0-9]{6}\b/g, '<scratch>')
      // How long a check took is printed only if it took long.
      .replace(/^( *[✓✗] .*?)(?: <time>)+/gm, '$1')
  )
}
