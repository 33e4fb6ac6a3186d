/** Most of what there is to load: commands that need it load it when they run, so that help and wrong usage are told at once. */
export async function loadLocal(): Promise<typeof import('../local/index.js')> {
  return await import('../local/index.js')
}

/** The REST API and what serves it. */
export async function loadHttpServer(): Promise<typeof import('../http-server/index.js')> {
  return await import('../http-server/index.js')
}
