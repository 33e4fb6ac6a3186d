import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/**
 * What pdftotext of poppler 22.12 reads from the documents of the shared data.
 *
 * @returns a text by file, as the manifest names it; files without text are left out
 */
export function pdfReferences(dataFolder: string): Map<string, string> {
  const lines = gunzipSync(readFileSync(join(dataFolder, 'oracle/texts.jsonl.gz')))
    .toString('utf8')
    .split('\n')
  const texts = new Map<string, string>()
  for (const line of lines.filter((one) => one !== '')) {
    const { file, text } = JSON.parse(line) as { readonly file: string; readonly text: string }
    if (file.startsWith('docs/pdf/') && text.trim() !== '' && !isGarbled(text)) texts.set(file, text)
  }
  return texts
}

/** Fonts without a Unicode map give pdftotext no text either. */
function isGarbled(text: string): boolean {
  const strange = text.match(/[\p{Co}\p{Cn}\uFFFD\u0001-\u0008\u000E-\u001F\u007F-\u009F]/gu)?.length ?? 0
  return strange > text.length * 0.01
}
