/** The API writes the native coin as null in CurrencyBase and as this address in Currency. Both are accepted everywhere. */
export const nativeAddress = '0x0000000000000000000000000000000000000000'
