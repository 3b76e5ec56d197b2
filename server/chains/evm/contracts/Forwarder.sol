// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// The deposit address of one order. Every byte of it is paid for by every order, so it only receives, and makes the
/// calls its factory asks for: target (20 bytes), value (32), gas cap (32), then the call's data; the answer is whether
/// the call went through, how much it returned, and the first word of that. The factory is the creator and cannot change.
/// Not a proxy: `receive` must fit into the 2,300 gas that a contract's `transfer` leaves.
contract Forwarder {
    address private immutable FACTORY = msg.sender;

    receive() external payable {}

    /// No more than one word is copied of what the target returns: a hostile target cannot make us pay for its answer.
    fallback() external payable {
        address factory = FACTORY;
        assembly {
            if xor(caller(), factory) { revert(0, 0) }
            let length := sub(calldatasize(), 84)
            calldatacopy(0, 84, length)
            let ok := call(calldataload(52), shr(96, calldataload(0)), calldataload(20), 0, length, 0, 32)
            let size := returndatasize()
            if lt(size, 32) { mstore(0, 0) }
            mstore(64, mload(0))
            mstore(32, size)
            mstore(0, ok)
            return(0, 96)
        }
    }
}
