import events from 'node:events'
import http from 'node:http'
import net from 'node:net'
import stream from 'node:stream'
import threads from 'node:worker_threads'

/** The classes of the platform: another realm has other ones. */
const PLATFORM_CLASSES = new Set(
  [globalThis, stream, net, http, events, threads]
    .flatMap((source) => Object.getOwnPropertyNames(source).filter((name) => typeof source[name] === 'function'))
    .filter((name) => /^[A-Z]/.test(name)),
)

const message =
  '`instanceof` is false for a value of another realm, such as a test runner has: use the checks of src/kernel/realms.ts.'

const noPlatformInstanceof = {
  create(context) {
    return {
      BinaryExpression(node) {
        if (node.operator !== 'instanceof') return
        // `net.Socket` names a class too.
        const { name } = node.right.type === 'MemberExpression' ? node.right.property : node.right
        if (PLATFORM_CLASSES.has(name)) context.report({ node, message })
      },
    }
  },
}

/** Rules of the project for oxlint. */
export default { meta: { name: 'alcove' }, rules: { 'no-platform-instanceof': noPlatformInstanceof } }
