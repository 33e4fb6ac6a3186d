type ArrowRows = typeof import('./arrow-rows.js')
type ArrowWords = typeof import('./arrow-words.js')

let loadingRows: Promise<ArrowRows> | undefined
let loadingWords: Promise<ArrowWords> | undefined

/** Not before they are needed: Arrow takes long to load. Once: with the hooks of a loader, `import()` takes 0.2 ms. */
export async function loadArrowRows(): Promise<ArrowRows> {
  loadingRows ??= import('./arrow-rows.js')
  return await loadingRows
}

/** As {@link loadArrowRows}. */
export async function loadArrowWords(): Promise<ArrowWords> {
  loadingWords ??= import('./arrow-words.js')
  return await loadingWords
}
