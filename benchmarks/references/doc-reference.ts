import { oracleTexts } from './oracle-texts.js'
import { isWrongReference } from './wrong-references.js'

/** Text that antiword adds by itself: marks for pictures, the numbers of lists, and the codes of some fields. */
const ADDED = /\[pic\]|^[ \t|]*(?:\d{1,3}|[a-z]|[ivx]+)[.)]+(?=\s)|\bHYPERLINK\s+"[^"]*"/gim

/**
 * Text that antiword reads from the documents of the shared data, or catdoc if antiword fails.
 * @returns a text by file, as the manifest names it; files without a right text are left out
 */
export function docReferences(dataFolder: string): Map<string, string> {
  const texts = new Map<string, string>()
  for (const [file, text] of oracleTexts(dataFolder)) {
    const own = text.replaceAll(ADDED, '')
    if (file.startsWith('docs/doc/') && !isWrongReference('doc', file) && /[\p{L}\p{N}]/u.test(own))
      texts.set(file, own)
  }
  return texts
}
