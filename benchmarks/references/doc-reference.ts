import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** Texts that antiword and catdoc get wrong, or of files that they cannot read. */
const WRONG = /Bug50955|Bug49933|53446|test01|test14/

/** What antiword adds by itself: marks for pictures, the numbers of lists, and the codes of some fields. */
const ADDED = /\[pic\]|^[ \t|]*(?:\d{1,3}|[a-z]|[ivx]+)[.)]+(?=\s)|\bHYPERLINK\s+"[^"]*"/gim

/**
 * What antiword (or, where it fails, catdoc) reads from the documents of the shared data.
 * @returns a text by file, as the manifest names it; files without a right text are left out
 */
export function docReferences(dataFolder: string): Map<string, string> {
  const lines = gunzipSync(readFileSync(join(dataFolder, 'oracle/texts.jsonl.gz')))
    .toString('utf8')
    .split('\n')
  const texts = new Map<string, string>()
  for (const line of lines.filter((one) => one !== '')) {
    const { file, text } = JSON.parse(line) as { readonly file: string; readonly text: string }
    const own = text.replaceAll(ADDED, '')
    if (file.startsWith('docs/doc/') && !WRONG.test(file) && /[\p{L}\p{N}]/u.test(own)) texts.set(file, own)
  }
  return texts
}
