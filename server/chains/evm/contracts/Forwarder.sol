// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// This contract is deployed at an order's deposit address. Every order pays for its bytes, so it only receives coin and
/// makes the calls that its factory encodes: target (20 bytes), value (32), gas cap (32), then the call's data. It returns
/// whether the call succeeded, the length of the returned data, and its first word. Only its creator can make it call.
/// It is not a proxy, because `receive` must fit into the 2,300 gas that a contract's `transfer` leaves.
contract Forwarder {
    address private immutable FACTORY = msg.sender;

    receive() external payable {}

    /// At most one word of the returned data is copied, so that a hostile target cannot make us pay for a long answer.
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
