/** Waits so long, or until something has woken it. */
export async function pause(ms: number, woken: Promise<unknown> = new Promise(() => undefined)): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([woken, waited])
  clearTimeout(timer)
}
