/** Called before each call of a method. @throws what the method then throws, or rejects with */
export type CallCheck = () => void

type Method = (...args: readonly unknown[]) => unknown

/**
 * Operations, whose methods first call a check. Groups of operations in them are checked too; data is not changed.
 * Calls that have begun go on.
 */
export function checked<Operations extends object>(operations: Operations, check: CallCheck): Operations {
  const known = new WeakMap<object, object>()
  return new Proxy(operations, {
    // Operations may have private fields, which a proxy as `this` would hide.
    get: (_, name) => {
      const member: unknown = Reflect.get(operations, name)
      if (typeof member !== 'function' && !isGroup(member)) return member
      const found = known.get(member)
      if (found !== undefined) return found
      const made =
        typeof member === 'function' ? checkedMethod(operations, member as Method, check) : checked(member, check)
      known.set(member, made)
      return made
    },
  })
}

function checkedMethod(owner: object, method: Method, check: CallCheck): Method {
  // The tag is the same in every realm.
  const isAsync = Object.prototype.toString.call(method) === '[object AsyncFunction]'
  return new Proxy(method, {
    apply: (_, _self, args) => {
      try {
        check()
      } catch (error) {
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors
        if (isAsync) return Promise.reject(error)
        throw error
      }
      return Reflect.apply<unknown, readonly unknown[], unknown>(method, owner, args)
    },
  })
}

/** True for an object with methods. Principals and other data have none. */
function isGroup(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.values(value).some((one) => typeof one === 'function')
}
