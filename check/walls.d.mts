export const serverRooms: readonly { readonly room: string; readonly uses: readonly string[]; readonly theirs: readonly string[] }[]
