/** Names in a data folder, which are those in a backup. */
export const DATABASE = 'alcove.sqlite'
/** Says which database the folder belongs to, by the id that both have. */
export const DATABASE_ID = 'database-id'
