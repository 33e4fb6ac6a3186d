import { createContext, type ReactElement, type ReactNode, useContext } from 'react'

interface Column {
  /** Names the values; no other column of the table has the same name. */
  readonly name: string
  readonly isNumber?: boolean
  /** For screen readers only: the values say by themselves what they are. */
  readonly isHidden?: boolean
}

const Columns = createContext<readonly Column[]>([])

interface TableProps {
  readonly label: string
  /** The values of the first column name the rows. */
  readonly columns: readonly Column[]
  /** A {@link Row} for each. */
  readonly children: ReactNode
}

/**
 * A table. Without room for columns, each row becomes a block of names and values. The roles are written out, because a
 * browser forgets those of elements that CSS shows as blocks. A table of two columns has room everywhere.
 */
export function Table({ label, columns, children }: TableProps): ReactElement {
  return (
    <div className={`table-place ${roomOf(columns.length)}`}>
      <table role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ name, isNumber, isHidden }) => (
              <th key={name} role="columnheader" scope="col" className={isNumber === true ? 'number' : undefined}>
                {isHidden === true ? <span className="visually-hidden">{name}</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          <Columns value={columns}>{children}</Columns>
        </tbody>
      </table>
    </div>
  )
}

/** The more columns, the sooner rows become blocks. */
function roomOf(columns: number): 'table-pairs' | 'table-few' | 'table-many' | 'table-most' {
  if (columns <= 2) return 'table-pairs'
  if (columns <= 4) return 'table-few'
  return columns <= 7 ? 'table-many' : 'table-most'
}

/** A row of a {@link Table}. @param props.cells one for each column, in their order */
export function Row({ cells }: { readonly cells: readonly ReactNode[] }): ReactElement {
  const columns = useContext(Columns)
  return (
    <tr role="row">
      {columns.map(({ name, isNumber, isHidden }, index) =>
        index === 0 ? (
          <th key={name} role="rowheader" scope="row">
            {cells[index]}
          </th>
        ) : (
          <td key={name} role="cell" className={isNumber === true ? 'number' : undefined}>
            {/* A screen reader has the name from the head of the table. */}
            {isHidden !== true && (
              <span className="table-name" aria-hidden="true">
                {name}
              </span>
            )}
            <div className="table-value">{cells[index]}</div>
          </td>
        ),
      )}
    </tr>
  )
}
