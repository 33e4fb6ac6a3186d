import { createContext, type ReactElement, type ReactNode, use } from 'react'

const MayWriteContext = createContext(false)

/** Tells its children whether the user may add, change and delete documents here. */
export function MayWrite({ value, children }: { readonly value: boolean; readonly children: ReactNode }): ReactElement {
  return <MayWriteContext value={value}>{children}</MayWriteContext>
}

/** True if the user may add, change and delete documents of this context. */
export function useMayWrite(): boolean {
  return use(MayWriteContext)
}
