/**
 * Adds the option that permits an address to the reason of a refusal. No option permits a name or a port.
 *
 * @param command the command that takes the option, if it is not the present one
 */
export function withPermission(reason: string, command?: string): string {
  if (!reason.endsWith('is not a public address')) return reason
  const place = command === undefined ? '' : ` of "alcove ${command}"`
  return `${reason}; permit it with --webhook-allow${place}`
}
