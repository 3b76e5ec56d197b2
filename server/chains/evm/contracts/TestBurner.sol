// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Tests use this hostile contract wallet. The sender of a transfer that it has authorised pays for its isValidSignature, which burns
/// different amounts in a simulation and in a transaction. It distinguishes the two because a simulation has no gas price.
contract TestBurner {
    uint256 public whenAsked;
    uint256 public whenSent;
    bool public refusesWhenSent;

    function set(uint256 whenAsked_, uint256 whenSent_, bool refusesWhenSent_) external {
        whenAsked = whenAsked_;
        whenSent = whenSent_;
        refusesWhenSent = refusesWhenSent_;
    }

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        bool isSent = tx.gasprice != 0;
        burn(isSent ? whenSent : whenAsked);
        return isSent && refusesWhenSent ? bytes4(0xffffffff) : bytes4(0x1626ba7e);
    }

    function burn(uint256 amount) public view {
        uint256 start = gasleft();
        uint256 word;
        while (start - gasleft() < amount) word = uint256(keccak256(abi.encode(word)));
    }
}
