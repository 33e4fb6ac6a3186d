import type { TextFormat } from '../../src/ports/index.js'

/** The content of a picture, which is also its extension. */
export type PictureKind = 'png' | 'jpg' | 'tiff' | 'webp'

interface PictureFormat extends TextFormat {
  readonly kind: PictureKind
}

/** The formats whose text only a recogniser reads. */
export const PICTURE_FORMATS: readonly PictureFormat[] = [
  { extension: '.png', contentType: 'image/png', kind: 'png' },
  { extension: '.jpg', contentType: 'image/jpeg', kind: 'jpg' },
  { extension: '.jpeg', contentType: 'image/jpeg', kind: 'jpg' },
  { extension: '.tiff', contentType: 'image/tiff', kind: 'tiff' },
  { extension: '.tif', contentType: 'image/tiff', kind: 'tiff' },
  { extension: '.webp', contentType: 'image/webp', kind: 'webp' },
]

/** The end of a sentence about a file that only a recogniser can read. */
export const HOW_TO_RECOGNIZE =
  'switch text recognition on with npm install tesseract.js @tesseract.js-data/eng @tesseract.js-data/osd and --ocr eng (the option ocr of the engine)'

/** The kind of a picture with this media type, if text in it can be recognised. */
export function pictureKindOf(mediaType: string): PictureKind | undefined {
  return PICTURE_FORMATS.find(({ contentType }) => contentType === mediaType)?.kind
}
