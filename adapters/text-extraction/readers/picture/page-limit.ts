import { ExtractionError } from '../../../../src/ports/index.js'

/** Any file may have this many pictures of pages. */
const FREE_PAGES = 20
/** No honest scan of a page has fewer bytes. A file that repeats one picture costs time for each page. */
const BYTES_OF_PAGE = 2_048

/** The most pages of a file whose text is recognised. */
export function pageLimitOf(sizeBytes: number): number {
  return FREE_PAGES + Math.floor(sizeBytes / BYTES_OF_PAGE)
}

/** @throws ExtractionError `ERR_EXTRACTION_LIMIT` */
export function requirePages(count: number, sizeBytes: number): void {
  const most = pageLimitOf(sizeBytes)
  if (count <= most) return
  throw new ExtractionError('ERR_EXTRACTION_LIMIT', `A picture of this size may have at most ${most} pages: split it`)
}
