type ArrowRows = typeof import('./arrow-rows.js')

let loadingRows: Promise<ArrowRows> | undefined

/**
 * Loads the module at its first use, because Arrow takes long to load. Loads it once, because `import()` takes 0.2 ms
 * if the process has loader hooks.
 */
export async function loadArrowRows(): Promise<ArrowRows> {
  loadingRows ??= import('./arrow-rows.js')
  return await loadingRows
}
