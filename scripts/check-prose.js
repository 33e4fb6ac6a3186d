/**
 * Checks comments and pages for plain English: `node scripts/check-prose.js [FILE...]`. Each sentence names its subject,
 * has at most {@link MOST_WORDS} words and refers to nothing outside the repository. The spell checker runs apart.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

const root = join(import.meta.dirname, '..')
const MOST_WORDS = 32
const COVERED = ['src/*.ts', 'adapters/*.ts', 'scripts/*.js', 'scripts/*.ts', '*.md', 'docs/*.md']
/** Pages that a program makes, and the log of changes. */
const EXCLUDED =
  /^(CHANGELOG\.md|docs\/reference\/(cli|rest|errors)\.md|benchmarks\/|test\/|adapters\/text-extraction\/charsets\/data\/)/

const RULES = [
  {
    says: 'begins with a noun clause: name the subject first',
    isBroken: (sentence) =>
      /^(What|Whether|Whoever|Whose|Which|Who|Of|Where|How)\b/.test(sentence) &&
      !/\?$|^What to do:|^How to /.test(sentence),
  },
  {
    says: `has more than ${MOST_WORDS} words: make two sentences of it`,
    isBroken: (sentence) => sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length > MOST_WORDS,
  },
  {
    says: 'refers to a page outside the repository: name a heading of docs/',
    isBroken: (sentence) => /\(specification[,)]|\bdecisions? \d+|\bissue \d+/i.test(sentence),
  },
]

const files = process.argv.length > 2 ? process.argv.slice(2) : listed()
const problems = files.flatMap((file) => problemsOf(file))
for (const { file, line, sentence, says } of problems) console.log(`${file}:${line}: ${says}\n    ${sentence}`)
if (problems.length > 0) {
  console.error(`${problems.length} sentences of ${files.length} files need work`)
  process.exitCode = 1
}

function listed() {
  const output = execFileSync('git', ['ls-files', '--', ...COVERED], { cwd: root, encoding: 'utf8' })
  return output.split('\n').filter((file) => file !== '' && !EXCLUDED.test(file))
}

function problemsOf(file) {
  let text
  try {
    text = readFileSync(join(root, file), 'utf8')
  } catch {
    return []
  }
  const blocks = file.endsWith('.md') ? markdownBlocks(text) : commentBlocks(text, file)
  return blocks.flatMap(({ line, text: block }) =>
    sentencesOf(block).flatMap((sentence) =>
      RULES.filter((rule) => rule.isBroken(sentence)).map(({ says }) => ({ file, line, sentence, says })),
    ),
  )
}

/** The comments of a program, one block for each paragraph and each tag. */
function commentBlocks(text, file) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false)
  const blocks = []
  const seen = new Set()
  const take = (ranges) => {
    for (const { pos, end } of ranges ?? []) {
      if (seen.has(pos)) continue
      seen.add(pos)
      const { line } = source.getLineAndCharacterOfPosition(pos)
      addComment(blocks, text.slice(pos, end), line + 1)
    }
  }
  const visit = (node) => {
    take(ts.getLeadingCommentRanges(text, node.getFullStart()))
    take(ts.getTrailingCommentRanges(text, node.getEnd()))
    ts.forEachChild(node, visit)
  }
  visit(source)
  take(ts.getLeadingCommentRanges(text, source.endOfFileToken.getFullStart()))
  return joinedLineComments(blocks)
}

function addComment(blocks, comment, line) {
  if (comment.startsWith('//')) {
    blocks.push({ line, text: comment.replace(/^\/\/+\s?/, ''), isLine: true })
    return
  }
  const lines = comment
    .replace(/^\/\*+/, '')
    .replace(/\*\/$/, '')
    .split('\n')
  let block = []
  let first = line
  const flush = () => {
    if (block.length > 0) blocks.push({ line: first, text: block.join(' ') })
    block = []
  }
  for (const [at, raw] of lines.entries()) {
    const content = raw.replace(/^\s*\*? ?/, '').trim()
    if (content === '' || content.startsWith('@') || /^([-*]|\d+\.) /.test(content)) flush()
    if (content === '') continue
    if (block.length === 0) first = line + at
    block.push(content.replace(/^@\w+( \{[^}]*\})?\s*/, '').replace(/^([-*]|\d+\.) /, ''))
  }
  flush()
}

/** Line comments in a row are one text. */
function joinedLineComments(blocks) {
  const joined = []
  for (const block of blocks) {
    const last = joined.at(-1)
    if (block.isLine && last?.isLine && last.lastLine === block.line - 1) {
      last.text += ` ${block.text}`
      last.lastLine = block.line
    } else joined.push({ ...block, lastLine: block.line })
  }
  return joined
}

/** Paragraphs and list items of a page, without code, tables and headings. */
function markdownBlocks(text) {
  const blocks = []
  let fence
  let block = []
  let first = 1
  const flush = () => {
    if (block.length > 0) blocks.push({ line: first, text: block.join(' ') })
    block = []
  }
  for (const [at, raw] of text.split('\n').entries()) {
    const line = raw.trim()
    const mark = /^(```+|~~~+)/.exec(line)?.[1]
    if (mark !== undefined) {
      flush()
      fence = fence === undefined ? mark : line === fence ? undefined : fence
    } else if (fence === undefined) {
      if (line === '' || /^([|#>]|<|---)/.test(line)) flush()
      else {
        if (/^([-*]|\d+\.) /.test(line)) flush()
        if (block.length === 0) first = at + 1
        block.push(line.replace(/^([-*]|\d+\.) /, ''))
      }
    }
  }
  flush()
  return blocks
}

/** Code and links count as one word each. */
function sentencesOf(text) {
  return text
    .replace(/`[^`]*`/g, 'CODE')
    .replace(/\{@link [^}]*\}/g, 'LINK')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*_]{2}/g, '')
    .split(/(?<=[.!?:;])\s+(?=[\p{Lu}`("])|(?<=;)\s+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
}
