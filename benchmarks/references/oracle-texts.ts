import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** Text that other programs read from the documents of the shared data, by the file names of the manifest. */
export function oracleTexts(dataFolder: string): Map<string, string> {
  const lines = gunzipSync(readFileSync(join(dataFolder, 'oracle/texts.jsonl.gz')))
    .toString('utf8')
    .split('\n')
  return new Map(
    lines
      .filter((line) => line !== '')
      .map((line) => {
        const { file, text } = JSON.parse(line) as { readonly file: string; readonly text: string }
        return [file, text]
      }),
  )
}
