/**
 * Reads one file by the plain use of a library, and prints `{ text, rows, ms, peakMb }` as JSON:
 * `plain-reading.mjs LIBRARY FILE`. A process of its own: some files end it.
 */
import { readFile } from 'node:fs/promises'

const [library, path] = process.argv.slice(2)
const bytes = await readFile(path)

/** Each as its documentation begins: what is imported, and then what reads. */
const LIBRARIES = {
  unpdf: async () => {
    const { extractText, getResolvedPDFJS } = await import('unpdf')
    // Otherwise the first call loads it.
    await getResolvedPDFJS()
    return async () => ({ text: (await extractText(new Uint8Array(bytes), { mergePages: true })).text })
  },
  mammoth: async () => {
    const { default: mammoth } = await import('mammoth')
    return async () => ({ text: (await mammoth.extractRawText({ buffer: bytes })).value })
  },
  'word-extractor': async () => {
    const { default: WordExtractor } = await import('word-extractor')
    return async () => ({ text: (await new WordExtractor().extract(bytes)).getBody() })
  },
  chardet: async () => {
    const { default: chardet } = await import('chardet')
    return () => ({ text: new TextDecoder(chardet.detect(bytes) ?? undefined).decode(bytes) })
  },
  jschardet: async () => {
    const { default: jschardet } = await import('jschardet')
    return () => ({ text: new TextDecoder(jschardet.detect(bytes).encoding?.replace('-SIG', '')).decode(bytes) })
  },
  'csv-parse': async () => {
    const { parse } = await import('csv-parse/sync')
    return () => ({ text: '', rows: parse(bytes) })
  },
  'utf-8': async () => () => ({ text: bytes.toString('utf8') }),
}

const read = await LIBRARIES[library]()
const began = performance.now()
const reading = await read()
const ms = performance.now() - began
const peakMb = Math.round(((await peakKb()) * 1024) / 1e6)
process.stdout.write(JSON.stringify({ ...reading, ms, peakMb }))

/** Linux counts what the parent had into the usage of a child, but not into its status. */
async function peakKb() {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '')
  return Number(/^VmHWM:\s*(\d+) kB/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS)
}
