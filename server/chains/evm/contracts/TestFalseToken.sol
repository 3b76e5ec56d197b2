// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// This token refuses every transfer by returning false instead of reverting.
contract TestFalseToken {
    mapping(address => uint256) public balanceOf;

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
    }

    function transfer(address, uint256) external pure returns (bool) {
        return false;
    }
}
