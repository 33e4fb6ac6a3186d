/** The text in pictures, by Tesseract, in processes of its own. */
export type { TesseractRecognizerOptions } from './tesseract-options.js'
export { TesseractRecognizer } from './tesseract-recognizer.js'
