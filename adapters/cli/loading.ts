/** Loads the largest modules. Only commands that need them load them, so that help and usage errors appear at once. */
export async function loadLocal(): Promise<typeof import('../local/index.js')> {
  return await import('../local/index.js')
}

/** Loads the REST API and its server. */
export async function loadHttpServer(): Promise<typeof import('../http-server/index.js')> {
  return await import('../http-server/index.js')
}
