type ArrowRows = typeof import('./arrow-rows.js')

let loadingRows: Promise<ArrowRows> | undefined

/** Not before they are needed: Arrow takes long to load. Once: with the hooks of a loader, `import()` takes 0.2 ms. */
export async function loadArrowRows(): Promise<ArrowRows> {
  loadingRows ??= import('./arrow-rows.js')
  return await loadingRows
}
