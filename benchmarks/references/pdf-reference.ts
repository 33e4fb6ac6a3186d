import { oracleTexts } from './oracle-texts.js'

/**
 * Text that pdftotext of poppler 22.12 reads from the documents of the shared data.
 *
 * @returns a text by file, as the manifest names it; files without text are left out
 */
export function pdfReferences(dataFolder: string): Map<string, string> {
  return new Map(
    [...oracleTexts(dataFolder)].filter(
      ([file, text]) => file.startsWith('docs/pdf/') && text.trim() !== '' && !isGarbled(text),
    ),
  )
}

/** Fonts without a Unicode map give pdftotext no text either. */
function isGarbled(text: string): boolean {
  const strange = text.match(/[\p{Co}\p{Cn}\uFFFD\u0001-\u0008\u000E-\u001F\u007F-\u009F]/gu)?.length ?? 0
  return strange > text.length * 0.01
}
