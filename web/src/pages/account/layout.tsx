import { Outlet } from "@tanstack/react-router"

export const AccountLayout = () => <Outlet />
