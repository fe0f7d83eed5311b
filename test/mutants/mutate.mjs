/**
 * Makes mutants of a file: copies with one small change each, which a test should notice.
 */
import { parseAst } from 'vitest/node'

const FLIPS = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '&&': '||',
  '||': '&&',
  '??': '&&',
}

/** A mutant: from where to where the text is replaced, and by what. */
const change = (node, text) => ({ from: node.start, to: node.end, text })

/** The mutants of one node of the syntax tree. */
function ofNode(node, source) {
  const of = one => source.slice(one.start, one.end)
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const flip = FLIPS[node.operator]
      return flip ? [change(node, `(${of(node.left)} ${flip} ${of(node.right)})`)] : []
    }
    case 'ConditionalExpression':
      return [change(node, `(${of(node.test)} ? ${of(node.alternate)} : ${of(node.consequent)})`)]
    case 'IfStatement':
    case 'WhileStatement':
      return [change(node.test, `!(${of(node.test)})`)]
    case 'UnaryExpression':
      return node.operator === '!' ? [change(node, of(node.argument))] : []
    case 'ExpressionStatement':
    case 'ContinueStatement':
    case 'BreakStatement':
      return [change(node, ';')]
    case 'SpreadElement':
      return [change(node, '...[]')]
    case 'Literal':
      return ofLiteral(node)
    case 'TemplateElement':
      return ofText(node, node.value.raw, source)
    default:
      return []
  }
}

function ofLiteral(node) {
  if (typeof node.value === 'number')
    return [change(node, `${node.value + 1}`), change(node, `(${node.value - 1})`)]
  if (typeof node.value === 'boolean') return [change(node, `${!node.value}`)]
  if (typeof node.value === 'string')
    return node.value === '' ? [change(node, "'mutant'")] : [change(node, "''")]
  return []
}

/** Of a long text each line, of a short one all of it. */
function ofText(node, raw, source) {
  const lines = raw.split('\n')
  // Its own range may have the delimiters too.
  let at = source.indexOf(raw, node.start)
  return lines.flatMap(line => {
    const from = at
    at += line.length + 1
    return /[\p{L}\p{N}]/u.test(line) ? [{ from, to: from + line.length, text: '' }] : []
  })
}

/** Names of files, types and fields are no behaviour. */
const isLeftOut = (node, parent, key) =>
  /^(TS|Import|Export(All|Named)Declaration$)/.test(node.type) && node.type !== 'ExportNamedDeclaration'
    ? !['TSSatisfiesExpression', 'TSAsExpression', 'TSNonNullExpression'].includes(node.type)
    : (parent?.type === 'Property' && key === 'key' && !parent.computed) ||
      (/^TS/.test(parent?.type ?? '') && key === 'typeAnnotation')

/** All mutants of a TypeScript source, in its order. */
export function mutantsOf(source) {
  const found = []
  const walk = (node, parent, key) => {
    if (isLeftOut(node, parent, key)) return
    found.push(...ofNode(node, source))
    for (const [name, child] of Object.entries(node))
      for (const one of Array.isArray(child) ? child : [child])
        if (typeof one?.type === 'string' && 'start' in one) walk(one, node, name)
  }
  walk(parseAst(source, { lang: 'ts' }), null, null)
  return found.sort((a, b) => a.from - b.from)
}

/** A template loses one line at a time. */
export function mutantsOfText(source) {
  let at = 0
  return source.split('\n').flatMap(line => {
    const from = at
    at += line.length + 1
    return /[\p{L}\p{N}]/u.test(line) ? [{ from, to: from + line.length, text: '' }] : []
  })
}

/** One mutant in a line: where it is, what was there, what is there now. */
export function describe(source, { from, to, text }) {
  const line = source.slice(0, from).split('\n').length
  const short = words => (words.length > 60 ? `${words.slice(0, 59)}…` : words).replaceAll('\n', '⏎')
  return `${line}: ${short(source.slice(from, to))} → ${short(text) || '(nothing)'}`
}
